"""Attackers over the public file of a draft, and over a quick sample of a preset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from evaluation.core.sealing import attacks
from evaluation.core.sealing.attacks import AttackReport
from evaluation.core.suite import shared_texts_of
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Preset, Version
from leaderboard.benchmarks.public_rows import EVERY
from leaderboard.benchmarks.rows.reading import documents_of

#: Units of a preset that a quick sample attacks.
SAMPLE_UNITS = 8
T = TypeVar("T")


def attacked(
    version: Version,
    *,
    rows_sha256: str,
    documents_sha256: str,
    gold_sha256: str,
    beat: Callable[[], None],
) -> AttackReport | None:
    """What programs reach in a version that understand nothing, from its file as it is stored.

    Args:
        version: Whose settings say how it is attacked. Rows of a file have no twin to learn from: nobody attacks them.
        rows_sha256: The name of its public file.
        documents_sha256: The name of the file of its texts; empty where the rows hold them.
        gold_sha256: The name of its gold.
        beat: Called once in `EVERY` lines.

    Returns:
        The report; None where there are no attackers.
    """
    if version.is_import:
        return None
    return attacks.run(
        version.suite,
        version.settings,
        attacks.public_lines(_beating(storage.lines(rows_sha256), beat), documents_of(documents_sha256)),
        lambda: _beating(storage.rows(gold_sha256), beat),
    )


def sample(preset: Preset) -> AttackReport | None:
    """The same of the first units of a preset, in seconds; None where there are no attackers."""
    suite, settings = preset.benchmark.engine, preset.checked_settings()
    if attacks.plan_of(suite, settings) is None:
        return None
    items = list(islice(suite.generate(settings), SAMPLE_UNITS))
    lines, _ = attacks.sealed_lines(suite, items, shared_texts_of(suite, settings))
    return attacks.run(suite, settings, lines, lambda: (item.gold for item in items))


def _beating(items: Iterable[T], beat: Callable[[], None]) -> Iterator[T]:
    for count, item in enumerate(items):
        if count % EVERY == 0:
            beat()
        yield item
