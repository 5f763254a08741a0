"""What built the contexts of a result, and the revision of how it does that. The suite says which there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.core.suite import Suite


@dataclass(frozen=True, slots=True)
class Contexts:
    """What built the contexts of a result, at its revision then."""

    builder: str
    revision: int
    now: int  # its revision on this site

    @property
    def is_outdated(self) -> bool:
        """Whether this site would build other contexts now."""
        return self.revision < self.now

    def __str__(self) -> str:
        now = f"; this site has revision {self.now} now" if self.is_outdated else ""
        return f"revision {self.revision}{now}"


def contexts(suite: Suite, provenance: Mapping[str, Any]) -> Contexts | None:
    """What built the contexts of a result.

    Args:
        suite: Which says what builds contexts, and at which revision it is.
        provenance: The record of how the result was made. One without a revision is of revision 1.

    Returns:
        What built them; None where nothing did that the suite knows.
    """
    name, _, revision = str(provenance.get("contexts", "")).partition("/")
    name = name or (provenance.get("settings") or {}).get("strategy") or provenance.get("executor", "")
    system = suite.systems().get(name)
    now = system.contexts if system else 0
    return None if not now else Contexts(name, int(revision) if revision.isdecimal() else 1, now)
