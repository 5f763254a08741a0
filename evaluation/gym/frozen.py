"""Nothing frozen leaks in: seeds of presets, rows of frozen versions, families that are held out.

A row of GoldEvidenceBench is known by its ledger lines, whatever stands around them: a text is frozen where more than
half of its lines are those of frozen rows, in any exported form, in another order and under another prompt. The lines
of StateBench are those of a template: its rows are known by all that is said in them, but for names and dates.
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

#: A ledger line in any of its forms: id, then what it says.
_LEDGER = re.compile(r"\[(U[0-9A-F]{6})\] (?:UPDATE )?(step=.+)")
#: Lines of a prompt of StateBench that are another one's in each copy of a template.
_NOTES = "Notes:\n"
_WHO_AND_WHEN = re.compile(r"(?:User|now): ")
#: The site's mark in every row that it hands out.
CANARY = "canary"
#: Presets whose rows are made in a moment: those that the demo and the documentation freeze.
QUICK = {
    "goldevidence": ("smoke", "order_bias_short", "authority_short", "retrieval_short", "prose_short"),
    "statebench": ("smoke", "quick", "standard", "decisions_short"),
}


class FrozenError(BenchmarkError):
    """Something frozen, or held out, was about to be trained on."""


@cache
def known_seeds() -> frozenset[int]:
    """The seeds of all presets, with which versions are shipped unless they draw their own."""
    from evaluation.core.suite import get_suite

    return frozenset(
        seed
        for name in QUICK
        for preset in get_suite(name).presets().values()
        for seed in get_suite(name).settings.from_json(preset.settings).all_seeds
    )


def refuse_seed(seed: int) -> None:
    """Let a seed pass that nothing frozen has.

    Args:
        seed: The seed.

    Raises:
        FrozenError: A preset has it.
        SettingsError: It is no seed.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MAX_SEED:
        raise SettingsError({"seed": [f"must be a whole number from 0 to {MAX_SEED}, not {seed!r}."]})
    if seed in known_seeds():
        raise FrozenError(f"seed {seed} is that of a preset, whose versions are frozen; use another one")


def refuse_held_out(family: str) -> None:
    """Let a family pass that is for training.

    Args:
        family: Its name.

    Raises:
        FrozenError: It is held out.
        UnknownNameError: There is no such family.
    """
    if get_family(family).held_out:
        raise FrozenError(
            f"the family {family} is held out: learners are judged on it, and none is trained on it"
        )


class Frozen:
    """The content of frozen rows, by its hashes."""

    def __init__(self, hashes: Iterable[bytes] = ()) -> None:
        self._hashes = frozenset(hashes)

    def __len__(self) -> int:
        return len(self._hashes)

    def __or__(self, other: Frozen) -> Frozen:
        return Frozen(self._hashes | other._hashes)

    @classmethod
    def of_rows(cls, rows: Iterable[Mapping[str, object]]) -> Self:
        """The content of rows of either suite, with gold or public."""
        return cls(map(_hash, chain.from_iterable(_of_row(row) for row in rows)))

    @classmethod
    def of_files(cls, paths: Iterable[str | Path]) -> Self:
        """The same of files of rows, or of the documents beside them. Raises RowError."""
        return cls.of_rows(row for path in paths for row in jsonl.read(path))

    def holds(self, line: object) -> bool:
        """Whether something shows a frozen row.

        Args:
            line: A text, a row, or a line of training data in any of the exported forms.
        """
        lines = {_hash(each) for each in _ledger_lines(line)}
        if lines:
            return 2 * len(lines & self._hashes) > len(lines)
        return any(_hash(whole) in self._hashes for whole in _wholes(line))

    def refuse(self, line: Mapping[str, object]) -> None:
        """Let a line of training data pass that no frozen version holds.

        Args:
            line: The line, in any of the exported forms.

        Raises:
            FrozenError: It shows a frozen row, or is one that a site handed out.
        """
        name = line.get("id")
        if CANARY in line or keyed_ids.is_keyed(name):
            raise FrozenError(f"line {name!r} was handed out by a site, and is not for training")
        if self.holds(line):
            raise FrozenError(f"line {name!r} shows a row of a frozen version, and is not for training")


@cache
def of_presets(suite: str) -> Frozen:
    """The content of versions of a suite's `QUICK` presets, made in some seconds.

    Args:
        suite: Its name.
    """
    from evaluation.core.suite import get_suite

    found, rows = get_suite(suite), list[Mapping[str, object]]()
    for preset in QUICK[suite]:
        for item in found.version(found.presets()[preset].settings).generate():
            rows.extend(item.rows)
    return Frozen.of_rows(rows)


def _of_row(row: Mapping[str, object]) -> Iterator[str]:
    """All by which a frozen row is known: as it is, and as a model is shown it."""
    if "events" not in row:
        yield from _ledger_lines(row)
        return
    from evaluation.gym.statebench import contexts

    yield from _wholes(row)
    for context in contexts(row):
        yield from _wholes(context)


def _wholes(line: object) -> Iterator[str]:
    """All that is said in a timeline, or in a prompt about one, but for who asks and when."""
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
    """The ledger lines in a row, a text, or a line of training data, as a book has them."""
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
