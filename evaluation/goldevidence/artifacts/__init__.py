"""Artifacts: books that systems build from the logs of a `build` version. Code to check, measure and grade them."""
