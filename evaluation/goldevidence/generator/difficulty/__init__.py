"""Difficulty that is not a parser's: other names, indirect questions, near values, unsorted ledgers, prose.

Each is a setting of the generator that is off by default, and all follow from settings and seed. What the text no
longer says in the published grammar stands in `gold["ledger"]`, for the oracle alone.
"""
