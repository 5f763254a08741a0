"""Attackers that read all rows of a version before answering: rows of one question may reveal each other's answers."""
