"""Tasks for other harnesses, scored by our grader: Inspect, lm-evaluation-harness and verifiers."""
