"""How fast the gym scores, whether its scores are the grader's, and what learners gain in it."""
