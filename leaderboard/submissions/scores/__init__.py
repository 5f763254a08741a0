"""Computes what is stored and shown of a score: sums, tables, means of repeats, rounded metrics."""
