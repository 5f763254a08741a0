"""Commands for shipped runs."""
