"""Scores: sums by unit, cells, tables, means of repeats, and rounded figures of sealed versions."""
