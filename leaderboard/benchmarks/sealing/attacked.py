"""Runs attackers (programs that answer without understanding) on a version's public file, or a sample of a preset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from evaluation.attacks.plan import plan_of
from evaluation.attacks.report import AttackReport
from evaluation.attacks.running import GUESSES_REVISION, Attacked, attack, public_lines, sealed_lines
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Preset, Version
from leaderboard.benchmarks.public_rows import EVERY
from leaderboard.benchmarks.rows.reading import documents_of

#: Units of a quick sample.
SAMPLE_UNITS = 8
T = TypeVar("T")


def attacked(
    version: Version, *, rows_sha256: str, documents_sha256: str, gold_sha256: str, beat: Callable[[], None]
) -> Attacked | None:
    """Run the attackers on a version's stored files, calling `beat` often. Returns None if it has no attackers."""
    if version.is_import:
        return None
    return attack(
        version.bound,
        public_lines(_beating(storage.lines(rows_sha256), beat), documents_of(documents_sha256)),
        lambda: _beating(storage.rows(gold_sha256), beat),
    )


def sample(preset: Preset) -> AttackReport | None:
    """Run a preset's attackers on its first units, which takes seconds; None if the preset has no attackers."""
    version = preset.bound
    if plan_of(version) is None:
        return None
    items = list(islice(version.generate(), SAMPLE_UNITS))
    lines, _ = sealed_lines(version.suite, items, version.shared_texts)
    found = attack(version, lines, lambda: (item.gold for item in items))
    return found.report if found else None


def lacks_guesses(version: Version) -> bool:
    """True if the version needs new scores by guessing, because they are missing or outdated."""
    known = version.guessing.get("revision"), version.guessing.get("grader")
    if version.is_import or known == (GUESSES_REVISION, version.present_grader):
        return False
    return plan_of(version.bound) is not None


def store_guesses(version: Version) -> bool:
    """Compute and save the guessing scores, unless they are current. Returns True if they were computed.

    Raises storage.DamagedFileError.
    """
    if not lacks_guesses(version):
        return False
    files = {name: getattr(version, name) for name in Version.FILES}
    found = attacked(version, **files, beat=lambda: None)
    version.guessing = dict(found.guesses) if found else {}
    Version.objects.filter(pk=version.pk).update(guessing=version.guessing)
    return True


def _beating(items: Iterable[T], beat: Callable[[], None]) -> Iterator[T]:
    for count, item in enumerate(items):
        if count % EVERY == 0:
            beat()
        yield item
