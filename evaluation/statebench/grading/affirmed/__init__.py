"""Affirmations of a free-text response: plain text -> marks -> readings of its phrases -> the rubric `strict@4`.

A phrase that is denied, former, asked, supposed, left open, put aside or taken back is mentioned, not affirmed.
"""
