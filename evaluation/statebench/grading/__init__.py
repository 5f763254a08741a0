"""Grading of responses: ground truth -> judge (a rubric) -> verdicts -> metrics. No model is asked."""
