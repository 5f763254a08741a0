"""Families of questions that need many lines: counts over tags, chains, retractions, rights in time, descriptions."""
