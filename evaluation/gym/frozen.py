"""Protection of frozen data from training: seeds of presets, rows of frozen versions, held-out families.

A text of GoldEvidenceBench counts as frozen if more than half of its ledger lines occur in frozen rows; their order
does not matter. Rows of StateBench share lines from templates, so they are recognised by their complete text, without
speakers and times.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Self

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError, SettingsError
from evaluation.core.sealing import keyed_ids
from evaluation.core.settings import MAX_SEED
from evaluation.goldevidence.data.ledger import Entry
from evaluation.gym.families import get_family

#: A ledger line in any of its forms: id, then contents.
_LEDGER = re.compile(r"\[(U[0-9A-F]{6})\] (?:UPDATE )?(step=.+)")
#: Parts of a StateBench prompt that differ between copies of a template.
_NOTES = "Notes:\n"
_WHO_AND_WHEN = re.compile(r"(?:User|now): ")
#: Field with the site's mark in every downloaded row.
CANARY = "canary"
#: Presets that generate quickly: those that the demo and the documentation freeze.
QUICK = {
    "goldevidence": ("smoke", "order_bias_short", "authority_short", "retrieval_short", "prose_short"),
    "statebench": ("smoke", "quick", "standard", "decisions_short"),
}


class FrozenError(BenchmarkError):
    """Frozen or held-out data was about to be used for training."""


@cache
def known_seeds() -> frozenset[int]:
    """The seeds of all presets, which versions use unless their seeds are drawn at random."""
    from evaluation.core.suite import get_suite

    return frozenset(
        seed
        for name in QUICK
        for preset in get_suite(name).presets().values()
        for seed in get_suite(name).settings.from_json(preset.settings).all_seeds
    )


def refuse_seed(seed: int) -> None:
    """Raise FrozenError for the seed of a preset, SettingsError for an invalid seed."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
        raise SettingsError({"seed": [f"must be a whole number from 0 to {MAX_SEED}, not {seed!r}."]})
    if seed in known_seeds():
        raise FrozenError(f"seed {seed} belongs to a preset, whose versions are frozen: use another seed")


def refuse_held_out(family: str) -> None:
    """Raise FrozenError for a held-out family, UnknownNameError for an unknown family."""
    if get_family(family).held_out:
        raise FrozenError(f"the family {family} is held out for evaluation: do not train on it")


class Frozen:
    """Hashes of the contents of frozen rows, to recognise these rows in other data."""

    def __init__(self, hashes: Iterable[bytes] = ()) -> None:
        self._hashes = frozenset(hashes)

    def __len__(self) -> int:
        return len(self._hashes)

    def __or__(self, other: Frozen) -> Frozen:
        return Frozen(self._hashes | other._hashes)

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, object]]) -> Self:
        """Compute the hashes of rows of either suite, with or without gold."""
        return cls(map(_hash, chain.from_iterable(_texts_of(row) for row in rows)))

    @classmethod
    def from_files(cls, paths: Iterable[str | Path]) -> Self:
        """Compute the hashes of the rows, or documents, in files. Raises RowError."""
        return cls.from_rows(row for path in paths for row in jsonl.read(path))

    def holds(self, line: object) -> bool:
        """True if a text, a row, or a line of training data in any exported form contains a frozen row."""
        lines = {_hash(each) for each in _ledger_lines(line)}
        if lines:
            return 2 * len(lines & self._hashes) > len(lines)
        return any(_hash(whole) in self._hashes for whole in _wholes(line))

    def refuse(self, line: Mapping[str, object]) -> None:
        """Raise FrozenError for a line of training data that contains a frozen row, or was downloaded from a site."""
        name = line.get("id")
        if CANARY in line or keyed_ids.is_keyed(name):
            raise FrozenError(f"line {name!r} was downloaded from a site: do not train on it")
        if self.holds(line):
            raise FrozenError(f"line {name!r} contains a row of a frozen version: do not train on it")


@cache
def frozen_presets(suite: str = "goldevidence") -> Frozen:
    from evaluation.core.suite import get_suite

    found, rows = get_suite(suite), list[Mapping[str, object]]()
    for preset in QUICK[suite]:
        for item in found.version(found.presets()[preset].settings).generate():
            rows.extend(item.rows)
    return Frozen.from_rows(rows)


def _texts_of(row: Mapping[str, object]) -> Iterator[str]:
    """The identifying texts of a frozen row: as stored, and as shown to a model."""
    if "events" not in row:
        yield from _ledger_lines(row)
        return
    from evaluation.gym.statebench import contexts

    yield from _wholes(row)
    for context in contexts(row):
        yield from _wholes(context)


def _wholes(line: object) -> Iterator[str]:
    """The complete text of a timeline, or of a prompt about a timeline, without speakers and times."""
    match line:
        case str():
            asked = line.rpartition(_NOTES)[2].splitlines()  # without the worked examples before it
            yield "\n".join(each for each in asked if not _WHO_AND_WHEN.match(each)).strip()
        case {"events": list(events), "initial_state": {"persistent_facts": list(facts)}}:
            said = [event.get("text") or event.get("prompt") for event in events]
            yield "\n".join(map(str, [*(fact["value"] for fact in facts), *filter(None, said)]))
        case {"messages": list(messages)}:
            yield from _wholes(messages)
        case {"prompt": prompt}:
            yield from _wholes(prompt)
        case list():
            for message in line:
                if isinstance(message, Mapping) and message.get("role") == "user":
                    yield from _wholes(message.get("content"))


def _ledger_lines(value: object) -> Iterator[str]:
    """The ledger lines in a row, a text or a training example, all as "<id> step=… <op> <key> = <value>"."""
    match value:
        case str():
            for line in value.splitlines():
                if match := _LEDGER.search(line):
                    yield f"{match[1]} {match[2].partition(' (')[0].strip()}"
        case {"uid": str(uid), "step": int(step), "op": str(op), "key": str(key), "value": value}:
            yield from _ledger_lines(Entry(uid, step, op, key, value).line())
        case {"role": "system"}:
            return
        case Mapping():
            for part in value.values():
                yield from _ledger_lines(part)
        case list() | tuple():
            for part in value:
                yield from _ledger_lines(part)


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
