"""Attackers that read all rows of a version before they answer one: rows of a question reveal each other's answers.

`notes` keeps the necessary parts of each line, `links` finds the rows that belong together, `places`, `relatives` and
`learner` answer.
"""
