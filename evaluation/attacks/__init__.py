"""Attacks on benchmark versions: programs that do not understand the text, and guessing by repeated uploads."""
