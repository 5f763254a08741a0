"""Generates timelines in release format, including fields that are empty in the released data."""
