"""Attacks on versions: programs that answer rows without understanding the text, and guessing by repeated uploads."""
