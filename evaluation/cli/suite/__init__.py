"""Commands for suites of other installed distributions, by the suite protocol alone."""
