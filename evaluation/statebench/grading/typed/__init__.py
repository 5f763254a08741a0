"""Typed answers: how a line is read, when two values are the same, and the judge of rubric `typed@1`."""
