"""Optional difficulties that no parser solves: other names, indirect questions, near values, unsorted ledgers, prose.

Each difficulty is a generator setting and off by default; the texts follow from settings and seed alone. Facts that the
text no longer states in the published grammar are stored in `gold["ledger"]`, for the oracle only.
"""
