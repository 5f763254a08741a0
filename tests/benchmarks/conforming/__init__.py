"""How many seeds find each one-fault mutant of the second implementation."""
