"""Attackers of the rows of GoldEvidenceBench."""
