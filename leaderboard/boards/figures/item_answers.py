"""Answers by system and item, read ahead by a worker, because a board may have a thousand files of verdicts.

Results are cached: a request that misses the cache asks a worker to compute them, as for ranks. Sealed versions are
left out: a new file would shift the shares of the items it answers correctly, and so reveal the answers.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.contrib.auth.models import AnonymousUser
from numpy.typing import NDArray

from evaluation.core.statistics.items import ItemStatistics, item_statistics
from leaderboard.benchmarks import expected_ids
from leaderboard.benchmarks.disclosure import State
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.storage import DamagedFileError
from leaderboard.boards.placements import ahead, placements
from leaderboard.boards.placements.contestants import EXEMPT_BY, exemptions
from leaderboard.submissions.models import Submission
from leaderboard.submissions.verdicts import files, why_withheld
from leaderboard.web.results_cache import cache

#: Limits of systems and answers read, the best systems first: 20 million answers take 80 MB of memory.
MOST_SYSTEMS, MOST_ANSWERS = 1000, 20_000_000
#: Fewer systems say nothing about an item.
LEAST = 2
METHOD = 1
KEEP_SECONDS = 30 * 24 * 3600
UNANSWERED = 255  # other values are the share of correct repeats in units of 1 / `WHOLE`
WHOLE = 200
Answers = NDArray[np.uint8]  # [items]


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a version, in the order of its rows, with their statistics."""

    ids: Sequence[str]
    splits: Sequence[str]
    statistics: ItemStatistics
    systems: int  # read
    left_out: int  # beyond the limits, or with a damaged file


def is_public(version: Version) -> bool:
    """True if results of single items may be published, because anonymous readers may see single rows anyway."""
    return version.disclosure.state is not State.SEALED and not why_withheld(version, AnonymousUser())


def read(version: Version) -> Items | None:
    """The cached items of a version. If they are missing, returns None and asks a worker to compute them."""
    found = _kept(version)
    if found is None:
        ahead.ask(version.pk)
    return found


def is_late(version: Version) -> bool:
    return is_public(version) and _kept(version) is None and bool(_sources(version))


def store(version: Version) -> int:
    """Compute and cache the items of a version, if public and out of date. Returns how many files were read."""
    if not is_public(version) or _kept(version) is not None:
        return 0
    of, sources = _fingerprint(version), _sources(version)
    expected = expected_ids.expected_rows(version).splits
    places = {name: at for at, name in enumerate(expected)}
    most = max(min(MOST_SYSTEMS, MOST_ANSWERS // max(len(places), 1)), LEAST)
    known: Mapping[tuple[str, ...], bytes] = cache.get(_answers_key(version)) or {}
    answers = {
        source: known.get(source) or _packed(source, places) for source in dict.fromkeys(sources[:most])
    }
    cache.set(_answers_key(version), answers, KEEP_SECONDS)
    rows = [_unpacked(packed) for source in sources[:most] if (packed := answers[source])]
    statistics = _statistics(rows, len(places))
    items = Items(list(expected), list(expected.values()), statistics, len(rows), len(sources) - len(rows))
    cache.set(_key(version), (of, items), KEEP_SECONDS)
    return sum(source not in known for source in answers)


def _kept(version: Version) -> Items | None:
    of, found = cache.get(_key(version)) or ("", None)
    return found if of == _fingerprint(version) else None


def _key(version: Version) -> str:
    return f"items-{METHOD}:{version.pk}:{version.sha256[:16]}"


def _answers_key(version: Version) -> str:
    return f"item-answers-{METHOD}:{version.pk}:{version.sha256[:16]}"


def _fingerprint(version: Version) -> str:
    return placements.board_state(version, Submission.objects.on_board(version)).fingerprint


def _sources(version: Version) -> list[tuple[str, ...]]:
    """Hashes of the files of verdicts of each ranked system, the best system first. A mean has one file per repeat."""
    exempt = exemptions(version)
    shown = Submission.objects.on_board(version).filter(score__isnull=False, system__reference="")
    contesting = shown.exclude(system__kind__in=list(exempt.kinds)).order_by("-score__headline", "pk")
    if version.headline.better == "lower":
        contesting = contesting.order_by("score__headline", "pk")
    columns = ("pk", "score__verdicts_sha256", "source", *EXEMPT_BY)
    rows = [
        (pk, sha256, source)
        for pk, sha256, source, *exempt_by in contesting.values_list(*columns)
        if not exempt.stands(*exempt_by)[0]
    ]
    repeats = _repeats([pk for pk, _, source in rows if source == Submission.Source.MEAN])
    found = [
        repeats.get(pk, ()) if source == Submission.Source.MEAN else (sha256,) for pk, sha256, source in rows
    ]
    # Two systems may have answered alike, so a file may occur twice.
    return [each for each in found if each and all(each)]


def _repeats(means: Sequence[Any]) -> dict[Any, tuple[str, ...]]:
    if not means:
        return {}
    members = Submission.objects.filter(mean__in=means, score__isnull=False).order_by("repeat")
    found: dict[Any, list[str]] = {}
    for mean, sha256 in members.values_list("mean", "score__verdicts_sha256"):
        found.setdefault(mean, []).append(sha256)
    return {mean: tuple(files_) for mean, files_ in found.items()}


def _packed(source: Iterable[str], places: Mapping[str, int]) -> bytes:
    try:
        return zlib.compress(_answers([_right(sha256, places) for sha256 in source]).tobytes(), level=1)
    except DamagedFileError:
        return b""


def _unpacked(packed: bytes) -> Answers:
    return np.frombuffer(zlib.decompress(packed), dtype=np.uint8)


def _right(sha256: str, places: Mapping[str, int]) -> NDArray[np.float32]:
    """[items]: the answers in one file, 1 if right, 0 if wrong, NaN if missing."""
    columns = files.opened(sha256).columns(["id", "correct"])
    right = np.full(len(places), np.nan, dtype=np.float32)
    for name, correct in zip(columns["id"], columns["correct"], strict=True):
        if correct is not None and name in places:
            right[places[name]] = correct
    return right


def _answers(repeats: Sequence[NDArray[np.float32]]) -> Answers:
    """Average the answers of repeats: for each item, the share of right answers times `WHOLE`, or `UNANSWERED`."""
    mean = np.mean(np.stack(repeats), axis=0)
    answers: Answers = np.where(np.isnan(mean), UNANSWERED, np.round(np.nan_to_num(mean) * WHOLE)).astype(
        np.uint8
    )
    return answers


def _statistics(rows: Sequence[Answers], items: int) -> ItemStatistics:
    answers = np.stack(rows) if rows else np.zeros((0, items), dtype=np.uint8)
    right = np.where(answers == UNANSWERED, np.nan, answers / WHOLE).astype(np.float32)
    return item_statistics(right)
