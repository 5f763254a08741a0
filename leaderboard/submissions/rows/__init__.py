"""Rows of a version for readers: search, filters, drawn timelines, and the systems' answers."""
