"""Statements that a free-text response affirms, not only mentions: text -> marks -> readings -> rubric `strict@4`."""
