"""Conformance by a model: timelines drawn from a seed given at run time, a naive model of their state, a check of every
answer, and the shortest timeline that still fails.

Questions that the specification leaves open are never asked: the model detects them and the events are removed.
"""
