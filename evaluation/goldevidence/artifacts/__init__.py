"""Checks, measures and grades artifacts: books that systems build from the logs of a `build` version."""
