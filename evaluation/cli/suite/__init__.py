"""The commands of suites that distributions add, by the suite protocol alone. Ours have their own."""
