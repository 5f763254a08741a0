"""Answers and scores over one engine.

writer.py      answers of a given form, under a grammar in the free parts
scorer.py      likelihoods of given texts after a prompt
beginnings.py  reuse of prompt prefixes in the cache
grammar.py     tokens that a grammar allows
drafting.py    tokens that a small model writes ahead
"""
