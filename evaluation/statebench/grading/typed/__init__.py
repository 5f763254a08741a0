"""Typed answers: reading lines, comparing values, and the judge of rubric `typed@1`."""
