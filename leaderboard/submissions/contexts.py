"""What built the contexts of a result: a strategy of StateBench, and the revision of how it does that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.statebench.strategies import STRATEGIES


@dataclass(frozen=True, slots=True)
class Contexts:
    """A strategy of StateBench at the revision that built the contexts of a result."""

    strategy: str
    revision: int

    @property
    def is_outdated(self) -> bool:
        """Whether this site would build other contexts now."""
        return self.revision < STRATEGIES[self.strategy].revision

    def __str__(self) -> str:
        now = f"; this site has revision {STRATEGIES[self.strategy].revision} now" if self.is_outdated else ""
        return f"revision {self.revision}{now}"


def contexts(provenance: Mapping[str, Any]) -> Contexts | None:
    """What built the contexts of a result; None where no strategy did. Before it was told, it was revision 1."""
    name, _, revision = str(provenance.get("contexts", "")).partition("/")
    name = name or (provenance.get("settings") or {}).get("strategy") or provenance.get("executor", "")
    if name not in STRATEGIES:
        return None
    return Contexts(name, int(revision) if revision.isdecimal() else 1)
