"""Finds files that have the same answers, or the same wrong answers, as a file of another account."""
