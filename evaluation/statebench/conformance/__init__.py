"""Conformance: the requirements of the specification as checks against any implementation."""
