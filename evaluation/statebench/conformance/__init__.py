"""Conformance: the requirements of the specification as checks that run against any implementation."""
