"""Sums by unit, cells, tables of a score; the mean of repeats, and the figures of sealed versions."""
