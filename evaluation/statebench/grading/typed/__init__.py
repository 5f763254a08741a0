"""Typed answers: reads them from lines, compares values, and judges them by rubric `typed@1`."""
