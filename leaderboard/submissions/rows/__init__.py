"""Rows of a version for readers: search, filters, timelines, and the answers of systems."""
