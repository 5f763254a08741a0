"""Cards of the front page. Each states a finding about a version, by a rule that docs/statistics.md explains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log10
from typing import Any, NamedTuple

from evaluation.core.metric import Metric
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.benchmarks.models import Version
from leaderboard.boards import prices
from leaderboard.boards.figures.data import spread_metric
from leaderboard.boards.front import failing
from leaderboard.boards.front.contest import (
    Card,
    Contest,
    Speck,
    contest_of,
    sentence_of_gates,
    sentence_of_rivals,
)
from leaderboard.boards.lengths.figures import tokens_label
from leaderboard.boards.placements import placements, ranking, stored
from leaderboard.boards.placements.ranking import Placement
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.scores.score_tables import interval
from leaderboard.web.formatting import number
from leaderboard.web.results_cache import cache

MOST_PRICE = 1.0  # dollars for 1,000 questions


def keeps_track_the_longest(contest: Contest) -> Card | None:
    """Card of the system with the longest effective length; None if it is 0, or if every system may reach it."""
    answered = {key: lengths for key, lengths in contest.lengths.items() if lengths.effective is not None}
    known = [(each, answered[each.key]) for each in contest.contesting if each.key in answered]
    named = {each.key for each in contest.above}
    longest = max((lengths.effective or 0 for each, lengths in known if each.key in named), default=0)
    rivals = sum((lengths.possible or 0) >= longest for _, lengths in known)
    if not longest or rivals == len(known):
        return None
    first, holding = next((each, of) for each, of in known if of.effective == longest and each.key in named)
    submission, rungs = contest.submissions[first.key], len(holding.tokens)
    reached = sorted(((of.figures.shown / rungs, each is first) for each, of in known))
    return Card(
        "Longest reliable length",
        submission.system.title,
        tokens_label(longest),
        "tokens or more" if holding.is_open else "tokens",
        _said_of_track(submission, rivals - 1, len(known) - rivals),
        url=submission.system.get_absolute_url(),
        origin=submission.origin.label,
        look="bars",
        specks=[
            Speck((at + 0.5) / len(reached), share, is_first) for at, (share, is_first) in enumerate(reached)
        ],
    )


def _said_of_track(submission: Submission, others: int, failed: int) -> str:
    shown = f"{number_of(failed, 'other')} {noun(failed, 'loses', 'lose')} track before that length."
    rivals = f"{number_of(others, 'other')} may reach it too." if others else ""
    return " ".join(filter(None, (rivals, shown, sentence_of_gates(submission))))


class Spread(NamedTuple):
    submission: Submission
    low: float
    high: float


def least_affected_by_order(contest: Contest) -> Card | None:
    """Card of the system whose rate varies least with the order of the evidence.

    Systems are compared by the interval of their spread, and the lowest upper end wins. Returns None if fewer than two
    systems have an interval, or if all other intervals overlap the winner's.
    """
    metric = spread_metric(contest.version)
    if metric is None:
        return None
    found = (_spread(contest, contest.submissions[each.key], metric) for each in contest.above)
    spreads = sorted((each for each in found if each), key=lambda each: (each.high, each.low))
    if len(spreads) < 2:
        return None
    first, rivals = spreads[0], [each for each in spreads[1:] if each.low <= spreads[0].high]
    if len(rivals) == len(spreads) - 1:
        return None
    return Card(
        "Least affected by order",
        first.submission.system.title,
        number(first.high, "points"),
        "points at most",
        _said_of_spread(first.submission, len(rivals), len(spreads) - 1 - len(rivals)),
        url=first.submission.system.get_absolute_url(),
        origin=first.submission.origin.label,
    )


def _spread(contest: Contest, submission: Submission, metric: Metric) -> Spread | None:
    score = submission.score
    ends = interval(score.intervals, metric.name) if score else None
    if score is None or ends is None or not _beats_chance(contest, score):
        return None
    return Spread(submission, *ends)


def _beats_chance(contest: Contest, score: Score) -> bool:
    """True if the system's rate is above chance in every order: a system that guesses is not affected by the order."""
    dots = contest.version.suite.display.dots
    chance: Any = score.metrics.get(dots.chance) if dots else None
    known = [value for _, value in score.spread if value is not None]
    return len(known) > 1 and chance is not None and min(known) > float(chance)


def _said_of_spread(submission: Submission, others: int, more: int) -> str:
    said = (
        "Upper end of the 95% interval of the best minus the worst rate over the positions of the evidence.",
        sentence_of_rivals(others),
        f"{number_of(more, 'other')} {noun(more, 'varies', 'vary')} more.",
        sentence_of_gates(submission),
    )
    return " ".join(filter(None, said))


def under_a_dollar(contest: Contest) -> Card | None:
    """Card of the best system that costs at most a dollar per 1,000 questions; None if fewer than two are so cheap."""
    priced = [(each, dollars(contest.submissions[each.key])) for each in contest.ranked]
    known = [(each, cost) for each, cost in priced if cost is not None]
    cheap = [(each, cost) for each, cost in known if cost <= MOST_PRICE]
    if len(cheap) < 2:
        return None
    first, cost = cheap[0]
    submission = contest.submissions[first.key]
    rivals = sum(ranking.are_tied(first, each) for each, _ in cheap) - 1
    said = (
        sentence_of_rivals(rivals),
        f"Highest of {len(cheap):,} ranked systems within this price limit.",
        sentence_of_gates(submission),
    )
    return Card(
        f"Best under {price(MOST_PRICE)} per 1,000 questions",
        submission.system.title,
        number(submission.result or 0.0),
        f"for {price(cost)}",
        " ".join(filter(None, said)),
        url=submission.system.get_absolute_url(),
        origin=submission.origin.label,
        look="dots",
        specks=_priced(contest, known, first),
    )


def _priced(contest: Contest, known: Sequence[tuple[Placement, float]], named: Placement) -> list[Speck]:
    logs = [log10(max(cost, 0.001)) for _, cost in known]
    first, span = min(logs), max(logs) - min(logs)
    return [
        Speck(
            (at - first) / span if span else 0.5, contest.submissions[each.key].result or 0.0, each is named
        )
        for at, (each, _) in zip(logs, known, strict=True)
    ]


def price(dollars: float) -> str:
    """Formatted dollars: `$0.14`, `$1`, `$92.40`."""
    return f"${dollars:,.0f}" if dollars == int(dollars) and dollars else f"${dollars:,.2f}"


def dollars(submission: Submission) -> float | None:
    """US dollars per 1,000 questions; None if a price or a token count is unknown."""
    cost = prices.submission_price(submission)
    return None if cost is None else prices.QUESTIONS * cost


KEEP_SECONDS = 24 * 3600
#: Functions that make a card from a board, or None; in the order of the page.
KINDS: tuple[Callable[[Contest], Card | None], ...] = (
    keeps_track_the_longest,
    under_a_dollar,
    failing.hardest_for_all,
    least_affected_by_order,
)
#: As many as fit one row of the page.
MOST_CARDS = 3


@dataclass(frozen=True, slots=True)
class PlacedCard:
    card: Card
    version: Version

    @property
    def url(self) -> str:
        """URL that the card links to: the page of its system, or the board over the rows that the card is about."""
        query = f"?{self.card.query}" if self.card.query else ""
        return self.card.url or f"{self.version.get_board_url()}{query}"


def cards_of(versions: Sequence[Version]) -> list[PlacedCard]:
    """Up to `MOST_CARDS` cards, at most one of each kind. Each kind comes from the first board that has such a card."""
    by_version = [(version, version_cards(version)) for version in versions]
    made = (
        next((PlacedCard(card, version) for version, of in by_version if (card := of[number])), None)
        for number in range(len(KINDS))
    )
    return [card for card in made if card is not None][:MOST_CARDS]


def version_cards(version: Version) -> list[Card | None]:
    """The card of each of `KINDS` for a version's board, or None if the board does not support the finding."""
    if placements.why_diagnostic(version):
        return [None] * len(KINDS)
    shown = Submission.objects.on_board(version)
    state = placements.board_state(version, shown)
    named = stored.fingerprint(
        [state.fingerprint, *sorted(state.names.values()), version.shown_step, version.guessing]
    )
    key = f"front-cards-5:{version.pk}:{named}"
    cards: list[Card | None] | None = cache.get(key)
    if cards is None:
        contest = contest_of(version)
        if contest is None:  # ranks or lengths are being computed: not cached, to ask again
            return [None] * len(KINDS)
        cards = [kind(contest) for kind in KINDS]
        cache.set(key, cards, KEEP_SECONDS)
    return cards
