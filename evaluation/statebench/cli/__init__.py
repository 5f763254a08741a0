"""Commands of StateBench. `evaluation.cli` maps each command to the suites that have it."""
