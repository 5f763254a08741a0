"""Converts timelines to and from the released packages `statebench` 1.0.2 and 2.0.0, and compares judges."""
