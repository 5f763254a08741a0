"""Artifacts: books that systems build from the logs of a `build` version. Checked, measured and graded here."""
