"""Shared parts of commands: parsers, argument types, tables, progress bars, counts such as `2 rows`."""
