"""Grading of responses by program: ground truth -> judge (a rubric) -> verdicts -> metrics."""
