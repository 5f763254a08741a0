"""Attackers of the timelines of StateBench."""
