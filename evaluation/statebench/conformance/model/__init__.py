"""Conformance by a model: seeded timelines, a naive model of their state, checks, and the shortest failing timeline.

Questions that the specification leaves open are never asked: the model detects them and the events are removed.
"""
