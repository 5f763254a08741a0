"""Conformance by a model: seeded timelines, a naive model of their state, checks, and the shortest failing timeline."""
