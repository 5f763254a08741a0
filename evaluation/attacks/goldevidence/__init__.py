"""Attackers: programs that answer rows of GoldEvidenceBench without understanding the text."""
