"""Conformance by a model: timelines drawn from a seed that is given at run time, a naive model of what must hold of
them, a check of every answer, and the shortest timeline that still fails.

What the specification leaves open is no test: the model notes it, and such a timeline is not asked.
"""
