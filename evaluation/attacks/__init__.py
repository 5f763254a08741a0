"""Attacks on versions: programs that answer the rows without understanding them, and guessing by repeated uploads."""
