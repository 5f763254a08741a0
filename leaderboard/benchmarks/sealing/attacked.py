"""Attackers over the public file of a version, and over a quick sample of a preset."""

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
) -> Attacked | None:
    """What programs reach in a version that understand nothing, from its file as it is stored.

    Args:
        version: Whose settings say how it is attacked. Rows of a file have no twin to learn from: nobody attacks them.
        rows_sha256: The name of its public file.
        documents_sha256: The name of the file of its texts; empty where the rows hold them.
        gold_sha256: The name of its gold.
        beat: Called once in `EVERY` lines.

    Returns:
        The report and, by part of the rows, what guessing reaches; None where there are no attackers.
    """
    if version.is_import:
        return None
    return attack(
        version.bound,
        public_lines(_beating(storage.lines(rows_sha256), beat), documents_of(documents_sha256)),
        lambda: _beating(storage.rows(gold_sha256), beat),
    )


def sample(preset: Preset) -> AttackReport | None:
    """The same of the first units of a preset, in seconds; None where there are no attackers."""
    version = preset.bound
    if plan_of(version) is None:
        return None
    items = list(islice(version.generate(), SAMPLE_UNITS))
    lines, _ = sealed_lines(version.suite, items, version.shared_texts)
    found = attack(version, lines, lambda: (item.gold for item in items))
    return found.report if found else None


def lacks_guesses(version: Version) -> bool:
    """Whether a version has attackers, and what guessing reaches is not known of them by its suite's present grader.

    Args:
        version: A frozen one: frozen before this was kept, or before the grader that scores its systems now.
    """
    known = version.guessing.get("revision"), version.guessing.get("grader")
    if version.is_import or known == (GUESSES_REVISION, version.present_grader):
        return False
    return plan_of(version.bound) is not None


def store_guesses(version: Version) -> bool:
    """Compute what guessing reaches in a frozen version from its stored files, where that is not known.

    Args:
        version: A frozen one, whose `guessing` is filled in.

    Returns:
        Whether it was computed here.

    Raises:
        storage.DamagedFileError: Its files are not those that were sealed.
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
