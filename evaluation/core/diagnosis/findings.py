"""A finding: a code for programs, a sentence for people."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """An observation about a whole file, and what to do about it."""

    code: str
    message: str
