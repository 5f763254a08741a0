"""Rounding of a sealed version's metrics, and an upper bound on what uploads can learn from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.conf import settings

from evaluation.attacks.climbing import FIGURES, most_learnt
from evaluation.core.sealing.rounding import COARSEST, rounding_step
from evaluation.core.statistics.power import Power, version_power
from leaderboard.benchmarks.models import Version

#: Numbers of accounts of one person for which a page lists how much they can learn.
ACCOUNTS = (1, 5, 20)


class Reach(NamedTuple):
    """Upper bound on what one person can learn about answers by uploads from several accounts."""

    accounts: int
    uploads: int  # of all accounts together
    rise: float  # upper bound on the mean rise of the share of right answers; 1: no bound


@dataclass(frozen=True, slots=True)
class Learning:
    """Upper bounds on what submitters can learn about a version's answers from uploads that show only a headline."""

    step: float  # rounding step of metrics
    uploads: int  # graded in all, per account or system
    questions: int  # with independent answers
    reaches: Sequence[Reach]  # by number of accounts, starting with one

    @property
    def rise(self) -> float:
        return self.reaches[0].rise


def expected_power(version: Version) -> Power:
    """Expected precision of the headline metric. The half width of its interval sets the rounding of all metrics."""
    units = version.drawn.units
    return version_power(units, _headline_rows(version))


def _headline_rows(version: Version) -> int:
    """Number of rows in the headline metric. If the headline is the lowest of several rates, this is an upper bound."""
    splits = version.conditions
    defaults = {facet.default for facet in version.bound.facets(splits)} & splits.keys()
    counted = defaults or {name for name in splits if version.bound.counts_toward_headline(name)}
    return sum(splits[name] for name in counted) or version.row_count


def figure_step(version: Version) -> float:
    """Rounding step of a sealed version's headline metric. No other metric of the version has a smaller step."""
    return min(COARSEST, rounding_step(expected_power(version).plus_minus))


def upload_limit(version: Version) -> int:
    """Largest number of uploads per account or system that are graded while the version is sealed."""
    if version.upload_limit is not None:
        return version.upload_limit
    limit: int = settings.SUBMISSIONS_PER_SEALED_VERSION
    return limit


def learning(version: Version) -> Learning | None:
    """Upper bounds on what uploads reveal about answers. Returns None if the version shows exact metrics.

    Each upload counts as two metrics (`FIGURES`), because it can reveal a headline and a rank: each upload can be
    the first public one of another system.
    """
    if not version.shown_step:
        return None
    uploads, step = upload_limit(version), version.shown_step
    questions = version.drawn.questions

    def rise(sent: int) -> float:
        return most_learnt(questions=questions, uploads=sent, step=step, figures=FIGURES)

    reaches = [Reach(each, each * uploads, rise(each * uploads)) for each in ACCOUNTS]
    return Learning(step, uploads, questions, reaches)
