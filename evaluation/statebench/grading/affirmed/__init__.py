"""Affirmations of a free-text response, as opposed to mentions: text -> marks -> readings -> rubric `strict@4`."""
