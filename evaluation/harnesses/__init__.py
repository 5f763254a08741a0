"""Other harnesses, scored by our grader: tasks and a scorer of Inspect, tasks of lm-evaluation-harness."""
