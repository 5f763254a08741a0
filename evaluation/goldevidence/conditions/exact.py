"""Chooses exactly k lines for every question, so that chance is 1/k in every row.

    lines of the key        k - `other_keys` - `notes` lines: the gold line and the latest other lines
    `notes`                 further NOTE lines: the latest of the key first, then of any key
    `other_keys`            lines of other keys that are not NOTEs, drawn at random
    fill                    then, up to k lines: further lines of the key, then of other keys, then any lines

The draw does not depend on the order of the lines: all permutations of a question show the same lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evaluation.core.rng import Stream
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.retrieval import Pool


def fill(
    pool: Pool,
    key: str,
    gold: str,
    *,
    k: int,
    other_keys: int,
    notes: int,
    dropped: bool,
    stream: Stream,
) -> list[Entry]:
    """Return k lines by rising step, at least `notes` NOTEs and `other_keys` of other keys. `dropped` omits `gold`."""
    lines = [entry for entry in pool.latest_first if not (dropped and entry.uid == gold)]
    of_key = sorted((entry for entry in lines if entry.key == key), key=lambda entry: entry.uid != gold)
    others = [entry for entry in lines if entry.key != key]
    chosen = dict.fromkeys(of_key[: k - other_keys - notes])
    missing = notes - _add([entry for entry in of_key if entry.op == "NOTE"], notes, chosen)
    _add(_drawn([entry for entry in others if entry.op == "NOTE"], missing, stream), missing, chosen)
    foreign = _drawn([entry for entry in others if entry.op != "NOTE"], k, stream)
    _add(foreign, other_keys, chosen)
    for more in (of_key, foreign, lines):
        _add(more, k - len(chosen), chosen)
    return sorted(chosen, key=lambda entry: entry.step)


def first_ranked(ranked: Iterable[Entry], gold: str, *, k: int, dropped: bool) -> list[Entry]:
    """Return the first k entries of a ranking, by rising step. If `dropped`, the next entry replaces the gold line."""
    lines = [entry for entry in ranked if not (dropped and entry.uid == gold)]
    return sorted(lines[:k], key=lambda entry: entry.step)


def _add(lines: Iterable[Entry], most: int, chosen: dict[Entry, None]) -> int:
    added = [entry for entry in lines if entry not in chosen][: max(most, 0)]
    chosen.update(dict.fromkeys(added))
    return len(added)


def _drawn(entries: Sequence[Entry], n: int, stream: Stream) -> list[Entry]:
    lines = list(entries)
    for i in range(min(n, len(lines))):
        j = i + stream.below(len(lines) - i)
        lines[i], lines[j] = lines[j], lines[i]
    return lines[: max(n, 0)]
