"""Shared parts of commands: parsers, argument types, tables, progress bars, numbers with nouns."""
