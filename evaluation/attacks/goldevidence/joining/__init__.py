"""Attackers that read all rows of a version before they answer one: rows of a question reveal each other's answers."""
