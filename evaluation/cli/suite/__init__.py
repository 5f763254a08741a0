"""Commands for suites of other installed distributions. They use only the suite protocol."""
