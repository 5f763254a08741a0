"""Rows of a version with their texts, whether stored in the rows or as documents."""
