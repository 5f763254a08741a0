"""A third suite in one folder, described in docs/suites.md: sums of numbers. Nothing else in the project names it."""
