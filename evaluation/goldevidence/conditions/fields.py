"""Reads the settings of a condition without pydantic, and builds the name of a condition.

`plain` reads valid settings for sweeps without pydantic, because importing it takes longer than running a cell.
`conditions.Condition` reports what is wrong with invalid settings.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from evaluation.goldevidence.conditions.perturb import GOLD_AT, ORDERS, RESTS
from evaluation.goldevidence.retrieval import EARLIEST, LATEST, RETRIEVERS, RIVALS, TIES

if TYPE_CHECKING:
    from evaluation.goldevidence.conditions.conditions import Condition

MOST_LINES = 1000
MOST_SEED = 2**31 - 1
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
#: Settings that JSON data leaves out at their default; see `SettingsModel.newer`.
NEWER = frozenset({"exact", "other_keys", "notes", "rest", "ties", "order_seed", "drop_seed"})
_CHOICES: Mapping[str, Collection[str]] = {
    "order": ORDERS,
    "wrong_type": RIVALS,
    "retriever": RETRIEVERS,
    "rest": RESTS,
    "ties": TIES,
}
_BOUNDS = {"k": (1, MOST_LINES), "order_seed": (0, MOST_SEED), "drop_seed": (0, MOST_SEED)}
_RATES = (0, 1)


class _Plain(NamedTuple):
    name: str
    k: int = 4
    order: str = "shuffle"
    wrong_type: str = "same_key"
    drop_prob: float = 0.0
    include_clear: bool = True
    query_sandwich: bool = False
    retriever: str = "key"
    spoof_rate: float = 0.0
    exact: bool = False
    other_keys: int = 0
    notes: int = 0
    rest: str = "ascending"
    ties: str = LATEST
    order_seed: int = 0
    drop_seed: int = 0

    def as_json(self) -> dict[str, Any]:
        defaults = self._field_defaults
        return {
            name: value
            for name, value in self._asdict().items()
            if name not in NEWER or value != defaults[name]
        }


def plain(settings: Mapping[str, Any]) -> Condition | None:
    """Build a condition without a name. Returns None if a setting may be invalid or asks for exactly k lines."""
    if not all(_is_right(name, value) for name, value in settings.items()):
        return None
    name = condition_name(settings)
    return cast("Condition", _Plain(name, **settings)) if NAME.fullmatch(name) else None


def _is_right(name: str, value: Any) -> bool:
    """True if a value is certainly valid for the setting `name`. Otherwise pydantic checks it."""
    default = _Plain._field_defaults.get(name)
    if default is None or type(value) is not type(default):
        return False
    if name in ("exact", "other_keys", "notes"):
        return bool(value == default)
    if isinstance(value, str):
        return value in _CHOICES[name]
    low, high = _BOUNDS.get(name, _RATES)
    return bool(low <= value <= high)


def condition_name(settings: Mapping[str, Any]) -> str:
    """Return a name such as `k4-gold_first`, extended by the settings that differ from the defaults.

    Examples: `bm25-k2-shuffle-drop0.4`, `exact4-shuffle-note1`, `k4-gold_at_2-ascending` (order of the other lines).
    """
    retriever, rival = settings.get("retriever", "key"), settings.get("wrong_type", "same_key")
    rest, order = settings.get("rest", "ascending"), settings.get("order", "shuffle")
    parts = [
        retriever if retriever != "key" else "",
        f"{'exact' if settings.get('exact') else 'k'}{settings.get('k', 4)}",
        order,
        rest if rest != "ascending" or order in GOLD_AT else "",
        f"other{settings['other_keys']}" if settings.get("other_keys") else "",
        f"note{settings['notes']}" if settings.get("notes") else "",
        rival if rival != "same_key" else "",
        f"drop{settings['drop_prob']}" if settings.get("drop_prob") else "",
        f"spoof{settings['spoof_rate']}" if settings.get("spoof_rate") else "",
        "" if settings.get("include_clear", True) else "noclear",
        "sandwich" if settings.get("query_sandwich") else "",
        "earliest" if settings.get("ties", LATEST) == EARLIEST else "",
        *seed_labels(settings.get("order_seed", 0), settings.get("drop_seed", 0)),
    ]
    return "-".join(str(part) for part in parts if part)


def seed_labels(order_seed: int, drop_seed: int) -> list[str]:
    """Return the labels that nonzero seeds add to a condition's name."""
    return [f"{label}{seed}" for label, seed in (("oseed", order_seed), ("dseed", drop_seed)) if seed]
