"""Scores: sums by unit, cells, tables, means of repeats, and rounded metrics of sealed versions."""
