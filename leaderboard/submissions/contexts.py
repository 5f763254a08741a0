"""The program that built the texts (contexts) that a model was given, and its revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.core.suite import Suite


@dataclass(frozen=True, slots=True)
class Contexts:
    builder: str
    revision: int
    now: int  # current revision on this site

    @property
    def is_outdated(self) -> bool:
        return self.revision < self.now

    def __str__(self) -> str:
        now = f"; this site has revision {self.now} now" if self.is_outdated else ""
        return f"revision {self.revision}{now}"


def contexts(suite: Suite, provenance: Mapping[str, Any]) -> Contexts | None:
    """Return the program that built the contexts of a result, or None if the suite has no such program.

    A result without a stored revision counts as revision 1.
    """
    name, _, revision = str(provenance.get("contexts", "")).partition("/")
    name = name or (provenance.get("settings") or {}).get("strategy") or provenance.get("executor", "")
    system = suite.systems().get(name)
    now = system.contexts if system else 0
    return None if not now else Contexts(name, int(revision) if revision.isdecimal() else 1, now)
