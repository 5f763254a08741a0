"""What a version that keeps its answers shows of figures, and what uploads can learn of them at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.conf import settings

from evaluation.attacks.climbing import FIGURES, most_learnt
from evaluation.core.sealing.rounding import COARSEST, rounding_step
from evaluation.core.statistics.power import Power, version_power
from leaderboard.benchmarks.models import Version

#: For how many accounts of one guesser a page says what they learn.
ACCOUNTS = (1, 5, 20)


class Reach(NamedTuple):
    """The most that several accounts of one guesser can learn together."""

    accounts: int
    uploads: int  # of all of them
    rise: float  # by how much the share of right answers rises at most, on average; 1 promises nothing


@dataclass(frozen=True, slots=True)
class Learning:
    """What uploads that are not declared as an entry can learn of the answers of a version."""

    step: float  # to what figures are rounded
    uploads: int  # of an account or a system that are graded in all
    questions: int  # whose answers do not follow from each other
    reaches: Sequence[Reach]  # by number of accounts, of one first

    @property
    def rise(self) -> float:
        """The most that one account can learn."""
        return self.reaches[0].rise


def expected_power(version: Version) -> Power:
    """What a version can tell of its headline: its expected half width decides to what all figures are rounded.

    Args:
        version: With the number of its units and of the rows of each split.
    """
    units = version.drawn.units
    return version_power(units, _headline_rows(version))


def _headline_rows(version: Version) -> int:
    """How many rows the headline is over, or each of several rates of which it is the lowest, at least."""
    splits = version.conditions
    defaults = {facet.default for facet in version.bound.facets(splits)} & splits.keys()
    counted = defaults or {name for name in splits if version.bound.counts_toward_headline(name)}
    return sum(splits[name] for name in counted) or version.row_count


def figure_step(version: Version) -> float:
    """To what the headline of a version is rounded while its answers are kept. Other figures have no finer step.

    Args:
        version: With the number of its units and of the rows of each split.
    """
    return min(COARSEST, rounding_step(expected_power(version).plus_minus))


def upload_limit(version: Version) -> int:
    """How many uploads of an account or a system are graded in all, while the answers are kept."""
    if version.upload_limit is not None:
        return version.upload_limit
    limit: int = settings.SUBMISSIONS_PER_SEALED_VERSION
    return limit


def learning(version: Version) -> Learning | None:
    """What uploads to a version can learn; None where its answers are not kept, or were frozen before this was.

    An upload that is not declared shows its headline, and may get a place on the board, which counts as one more
    figure: each can be the first public one of another system.

    Args:
        version: A frozen one.
    """
    if not version.shown_step:
        return None
    uploads, step = upload_limit(version), version.shown_step
    questions = version.drawn.questions

    def rise(sent: int) -> float:
        return most_learnt(questions=questions, uploads=sent, step=step, figures=FIGURES)

    reaches = [Reach(each, each * uploads, rise(each * uploads)) for each in ACCOUNTS]
    return Learning(step, uploads, questions, reaches)
