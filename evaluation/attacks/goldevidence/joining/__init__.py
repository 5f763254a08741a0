"""Attackers that read all rows of a version before they answer one: rows of a question tell of each other.

`notes` keeps what they need of each line, `links` says which rows belong together, `places`, `relatives` and `learner`
answer.
"""
