"""Attackers: programs that answer timelines of StateBench without understanding the text."""
