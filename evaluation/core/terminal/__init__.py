"""Shared parts of commands: parsers without abbreviations, argument types, tables, numbers with nouns."""
