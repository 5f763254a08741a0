"""The public door of the package: its names."""

from __future__ import annotations

from evaluation import statebench


def test_the_door_offers_exactly_what_is_documented():
    assert sorted(statebench.__all__) == ["build_context", "detect", "grade_files", "run_conformance"]
    assert all(callable(getattr(statebench, name)) for name in statebench.__all__)
