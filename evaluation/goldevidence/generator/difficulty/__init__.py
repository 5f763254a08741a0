"""Difficulties that no parser solves: other names, indirect questions, near values, unsorted ledgers, prose.

Each is a generator setting, off by default, and follows from settings and seed. Facts that the text no longer states
in the published grammar are in `gold["ledger"]`, for the oracle only.
"""
