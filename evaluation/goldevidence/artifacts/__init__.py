"""Artifacts: books that systems of a *build* version make of the logs. Checked, measured, graded."""
