"""Commands for suites of installed distributions, by the suite protocol alone. Ours have their own."""
