"""Answers and scores over one engine."""
