"""The reference data of StateBench, read once per test run."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from evaluation.core import jsonl
from tests.reference import reference_path

Rows = list[dict[str, Any]]


def path(name: str) -> Path:
    """A file of the reference; skips the test if it is absent."""
    return reference_path(f"state/{name}")


@cache
def _read(file: Path) -> Rows:
    return list(jsonl.read(file))


def rows(name: str) -> Rows:
    """The rows of a JSONL file."""
    return _read(path(name))


def dev() -> Rows:
    """The timelines of the released dev split."""
    return rows("data/dev.jsonl")
