"""Families of questions that need many lines: counts over tags, chains, retractions, rights in time, meaning.

A *plot* is a story of dated lines with questions about it; a *telling* writes it as a text of some length and form.
"""
