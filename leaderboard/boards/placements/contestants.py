"""Reads the systems of a board as input for ranking: who takes part, with which figures, over which units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from django.db.models import QuerySet
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from evaluation.core.statistics import VERSION
from leaderboard.benchmarks import disclosure
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import shown as sealed
from leaderboard.boards import slices
from leaderboard.boards.placements import ranking
from leaderboard.boards.placements.ranking import SELF_REPORTED, Contestant
from leaderboard.boards.slices import WHOLE, BoardSlice
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.scores import score_sums

#: The unrounded headline where it is stored: sealed versions show a rounded one.
RANKED_BY = Coalesce("score__exact_headline", "score__headline")
#: The fields of a submission that decide whether it takes part in a ranking.
EXEMPT_BY = ("system__kind", "system__reference", "source", "verified")
Cells = tuple[Sequence[Sequence[str]], bytes]


class Exemptions(NamedTuple):
    """Rules on which submissions of a version are not ranked."""

    kinds: Mapping[str, str]  # kind of system -> why the suite does not rank it
    ranks_uploads: bool  # see `Disclosure.ranks_uploads`

    def stands(self, kind: str, reference: str, source: str, verified: bool) -> tuple[str, str]:
        """Returns why a submission is not ranked, and its role as a reference. Both are empty if it is ranked."""
        # first: a kind that gives no answers is not a reference for systems that do
        if kind in self.kinds:
            return self.kinds[kind], ""
        if reference:
            return ranking.reference_reason(reference), reference
        reported = Submission.origin_of(source, verified) == Submission.Origin.REPORTED
        return (SELF_REPORTED if reported and not self.ranks_uploads else ""), ""

    def for_submission(self, submission: Submission) -> tuple[str, str]:
        system = submission.system
        return self.stands(system.kind, system.reference, submission.source, submission.verified)


def exemptions(version: Version) -> Exemptions:
    kinds = {kind: unranked.reason for kind, unranked in version.suite.unranked.items()}
    return Exemptions(kinds, disclosure.ranks_uploads(version))


def contestants_of(
    version: Version, shown: QuerySet[Submission], parts: Sequence[BoardSlice]
) -> list[list[Contestant]]:
    """Read the contestants for each of `parts`, ordered by system name. Two queries, or one for all rows alone."""
    exempt, headline = exemptions(version), version.headline.name
    worst = [slices.worst_of(version, part) for part in parts]
    cells = ("score__cells", "score__cell_scores") if any(parts) or any(worst) else ()
    fields = ("pk", "system__name", "ranked_by", "score__gated", "score__by_split", "score__unit_scores")
    more = ("score__robust_scores", KeyTransform(headline, "score__intervals"), *EXEMPT_BY)
    exact = shown.annotate(ranked_by=RANKED_BY).order_by("system__name")
    rows = exact.values_list(*fields, *more, *cells)
    repeats = _cells_of_repeats(shown) if any(parts) else {}
    boards: list[list[Contestant]] = [[] for _ in parts]
    for key, name, value, gated, by_split, units, robust, ends, *others in rows:
        stands, of_cells = exempt.stands(*others[: len(EXEMPT_BY)]), others[len(EXEMPT_BY) :]
        whole = Contestant(key, name, value, gated, bytes(units), bytes(robust), *stands)
        whole = whole._replace(ends=_ends(ends))
        of_repeats = repeats.get(key, ())
        for board, part, lowest in zip(boards, parts, worst, strict=True):
            if part and not by_split:
                board.append(whole._replace(value=None, ends=None, units=b"", robust=b""))
                continue
            of_part = _by_part(whole, part, *of_cells, repeats=of_repeats) if part else whole
            if part and sealed.is_of_few(version, ranking.count_rows(of_part)):
                of_part = of_part._replace(units=b"", runs=())
            board.append(_by_lowest(of_part, lowest, *of_cells) if lowest else of_part)
    return boards


def _cells_of_repeats(shown: QuerySet[Submission]) -> dict[Any, list[Cells]]:
    means = shown.order_by().filter(source=Submission.Source.MEAN).values("pk")
    members = Submission.objects.filter(mean__in=means, score__isnull=False).order_by("repeat")
    by_mean: dict[Any, list[Cells]] = {}
    for mean, cells, packed in members.values_list("mean", "score__cells", "score__cell_scores"):
        by_mean.setdefault(mean, []).append((cells, bytes(packed)))
    return by_mean


def _by_part(
    whole: Contestant,
    part: BoardSlice,
    cells: Sequence[Sequence[str]],
    packed: bytes,
    *,
    repeats: Sequence[Cells],
) -> Contestant:
    """Restrict a contestant to the rows of a part. Removes the robustness column, which covers other rows."""
    rates = [ranking.rate_of(units) for each in repeats if (units := part.units(*each))]
    runs = tuple(rate for rate in rates if rate is not None)
    is_whole = len(runs) == len(repeats) and len(runs) > 1
    units = part.units(cells, bytes(packed))
    return whole._replace(value=None, ends=None, units=units, robust=b"", runs=runs if is_whole else ())


def _by_lowest(
    contestant: Contestant, lowest: Sequence[BoardSlice], cells: Sequence[Sequence[str]], packed: bytes
) -> Contestant:
    parts = tuple(each.units(cells, bytes(packed)) for each in lowest)
    return contestant._replace(parts=parts) if all(parts) else contestant._replace(units=b"", parts=())


def _ends(stored_ends: Sequence[float] | None) -> tuple[float, float] | None:
    return (stored_ends[0], stored_ends[1]) if stored_ends else None


def contestants_of_scores(version: Version, scores: Mapping[Any, Score]) -> list[Contestant]:
    """Contestants for given scores, such as older revisions. Submissions and systems must be loaded."""
    exempt, lowest = exemptions(version), slices.worst_of(version, WHOLE)
    contestants = []
    for key, score in scores.items():
        of_score = (score.ranked_by, score.gated, bytes(score.unit_scores), bytes(score.robust_scores))
        stands = exempt.for_submission(score.submission)
        contestant = Contestant(key, score.submission.system.name, *of_score, *stands)
        contestant = contestant._replace(ends=_ends(score.intervals.get(version.headline.name)))
        if lowest:
            contestant = _by_lowest(contestant, lowest, score.cells, bytes(score.cell_scores))
        contestants.append(contestant)
    return contestants


def unit_strata(version: Version) -> NDArray[np.int64] | None:
    """[units]: the stratum number of each unit, in the order of the version; None if there is only one stratum."""
    # strata belong to the version: any score of the current statistics holds them
    known = Score.objects.filter(submission__version=version, statistics=VERSION).exclude(metric_sums=b"")
    # unordered: an order would read the scores of all submissions, of which there may be a million
    sums = known.order_by().values_list("metric_sums", flat=True)
    packed = next(iter(sums.filter(submission__shown=True)[:1] or sums[:1]), None)
    return score_sums.strata(bytes(packed)) if packed else None


def strata_over(version: Version, units: int) -> NDArray[np.int64] | None:
    """[units]: the stratum number of each unit; None if the version has no strata, or not this number of units."""
    strata = unit_strata(version)
    return strata if strata is not None and len(strata) == units else None
