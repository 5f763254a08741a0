"""A third suite in one folder, as docs/suites.md tells it: sums of numbers. Nothing else in the project names it."""
