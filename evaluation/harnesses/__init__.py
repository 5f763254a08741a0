"""Other harnesses, scored by our grader: Inspect (with a scorer), lm-evaluation-harness and verifiers."""
