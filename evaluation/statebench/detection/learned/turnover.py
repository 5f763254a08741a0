"""Features for a turn with an old and a new value, as in "Ann's off sick. Bea will do it"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.statebench.detection.learned.kinds import SlotKind
from evaluation.statebench.detection.learned.reading import Part
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.language.words import STOPWORDS, stem

_BARE, _SHORT = 2, 5  # words of a part
_LINKS = frozenset(
    ("so", "now", "instead", "and", "but", "it's", "we're", "they're", "make", "we've", "i'm", "no")
)
_ENDS = ("cue departs", "cue rejects", "cue cancels", "cue corrects", "gone")
_NAMED = frozenset(("person", "someone", "name", "place", "thing", "sentence"))

Seen = tuple[str, ...]


def turnover(parts: Sequence[Part], slot: Slot, held: SlotKind, quantities: frozenset[str]) -> Seen:
    """Return features of a slot's new value, such as whether it precedes the old value. Empty without a new value."""
    old = next((n for n, part in enumerate(parts) if not part.stems.isdisjoint(slot.value_stems)), None)
    known = slot.value_stems | slot.subject
    for at, part in enumerate(parts):
        fresh = _fresh(part, held, known, quantities)
        if not fresh or part.asks:
            continue
        order = "alone" if old is None else "same" if old == at else "after" if old < at else "before"
        first = part.words[0] if part.words else ""
        opens = stem(first) in fresh or first in fresh
        verb = first.endswith("'s") or (len(part.words) > 1 and part.words[1] in STOPWORDS)
        length = "bare" if len(part.words) <= _BARE else "short" if len(part.words) <= _SHORT else "long"
        way = ("does" if verb else "opens") if opens else first if first in _LINKS else "inside"
        return held.name, order, way, length, _end(parts[old] if old is not None else None)
    return ()


def _fresh(part: Part, held: SlotKind, known: frozenset[str], quantities: frozenset[str]) -> frozenset[str]:
    if held.amounts:
        return part.quantities - quantities
    if held.name == "state":
        return frozenset(("state",)) if part.offer.sides - held.sides else frozenset()
    if held.name not in _NAMED:
        return frozenset()
    return (part.capitals | part.offer.places) - known


def _end(part: Part | None) -> str:
    if part is None:
        return "unsaid"
    if any(name in part.classes for name in _ENDS):
        return "ends"
    return (
        "denied" if any(name.startswith("not ") for name in part.classes) else "asks" if part.asks else "said"
    )


def turnover_names(*seen: str) -> Iterator[str]:
    if not seen:
        yield "turnover none"
        return
    kind, order, way, length, end = seen
    yield from (f"turnover {order}", f"turnover {way}", f"turnover {length}", f"turnover {order} {end}")
    yield from (f"turnover {order} {way}", f"turnover {way} {length}", f"turnover {order} {way} {end}")
    yield from (
        f"turnover {kind} {order} {way}",
        f"turnover {kind} {way} {length}",
        f"turnover {kind} {order} {end}",
    )
