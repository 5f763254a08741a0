"""Answers and scores over one engine.

writer.py      answers of a given form, under a grammar where they are free
scorer.py      how likely texts are behind a prompt, without any being written
beginnings.py  what of a prompt the cache holds already
grammar.py     which tokens a grammar allows
drafting.py    tokens that a small model writes ahead
"""
