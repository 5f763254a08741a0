"""Cards of the front page: what the boards show of who keeps track the longest, costs least, is swayed least, and
where everybody fails.

Each statement is one of docs/statistics.md, or there is no card. A version that ranks nobody makes none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from evaluation.core.metric import Metric
from evaluation.core.terminal.wording import noun, number_of
from leaderboard.benchmarks.models import Version
from leaderboard.boards.figures.data import spread_metric
from leaderboard.boards.front import failing
from leaderboard.boards.front.contest import Card, Contest, contest_of, sentence_of_gates, sentence_of_rivals
from leaderboard.boards.lengths.figures import tokens_label
from leaderboard.boards.placements import placements, ranking, stored
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.scores.score_tables import interval
from leaderboard.web.formatting import number
from leaderboard.web.results_cache import cache

MILLION = 1_000_000


def keeps_track_the_longest(contest: Contest) -> Card | None:
    """The longest effective length of a board.

    Args:
        contest: A board.

    Returns:
        The card; None where no system is shown to hold at any length, or none of the others to fall short.
    """
    answered = {key: lengths for key, lengths in contest.lengths.items() if lengths.effective is not None}
    known = [(each, answered[each.key]) for each in contest.contesting if each.key in answered]
    named = {each.key for each in contest.above}
    longest = max((lengths.effective or 0 for each, lengths in known if each.key in named), default=0)
    rivals = sum((lengths.possible or 0) >= longest for _, lengths in known)
    if not longest or rivals == len(known):
        return None
    first = next(each for each, lengths in known if lengths.effective == longest and each.key in named)
    submission = contest.submissions[first.key]
    return Card(
        "Keeps track the longest",
        submission.system.name,
        f"at least {tokens_label(longest)} tokens",
        _said_of_track(submission, rivals - 1, len(known) - rivals),
        url=submission.system.get_absolute_url(),
        origin=submission.origin.label,
    )


def _said_of_track(submission: Submission, others: int, failed: int) -> str:
    shown = f"{number_of(failed, 'other system')} {noun(failed, 'is', 'are')} shown to lose track by then."
    return " ".join(filter(None, (sentence_of_rivals(others), shown, sentence_of_gates(submission))))


class Spread(NamedTuple):
    """How far a system's rate moves between orders."""

    submission: Submission
    low: float
    high: float


def least_swayed(contest: Contest) -> Card | None:
    """The lowest bound on how far a rate moves with the order.

    Args:
        contest: A board.

    Returns:
        The card; None where the suite has no such figure, where fewer than two systems report it and choose better
        than chance in every order, or where no interval tells anybody apart.
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
        "Least swayed by order",
        first.submission.system.name,
        f"moves by at most {number(first.high, 'points')} points",
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
    """Whether every order is chosen in better than at random: who guesses is not swayed either."""
    dots = contest.version.suite.display.dots
    chance: Any = score.metrics.get(dots.chance) if dots else None
    known = [value for _, value in score.spread if value is not None]
    return len(known) > 1 and chance is not None and min(known) > float(chance)


def _said_of_spread(submission: Submission, others: int, more: int) -> str:
    said = (
        "Between the places where the evidence stands, as 95% intervals show.",
        sentence_of_rivals(others),
        f"{number_of(more, 'other system')} {noun(more, 'moves', 'move')} more.",
        sentence_of_gates(submission),
    )
    return " ".join(filter(None, said))


class Cost(NamedTuple):
    """What a query costs."""

    amount: float
    dollars: bool  # else tokens

    @property
    def words(self) -> str:
        """The amount as a reader says it: `$0.012 a query`, `1,240 tokens a query`."""
        return f"${self.amount:,.2g} a query" if self.dollars else f"{self.amount:,.0f} tokens a query"


def best_for_its_price(contest: Contest) -> Card | None:
    """The cheapest of those that are tied as the best that meet all requirements.

    Args:
        contest: A board.

    Returns:
        The card; None where the cost of one of them is not known, where two of them cost the same, or where no
        system that meets all requirements is shown to be worse.
    """
    meeting = [each for each in contest.ranked if not each.gated]
    best = [contest.submissions[each.key] for each in meeting if ranking.are_tied(meeting[0], each)]
    costs = _costs(best)
    if not costs or len(best) == len(meeting):
        return None
    ordered = sorted(zip(costs, best, strict=True), key=lambda pair: pair[0].amount)
    (least, cheapest), *others = ordered
    if others and others[0][0].amount == least.amount:
        return None
    headline, ends = contest.version.headline, cheapest.result_interval
    within = f" ({number(ends[0], 'points')}–{number(ends[1], 'points')})" if ends else ""
    return Card(
        "Best for its price",
        cheapest.system.name,
        least.words,
        f"{headline.label} {number(cheapest.result or 0)}{within}. {_said_of_price(len(best), len(meeting))}",
        url=cheapest.system.get_absolute_url(),
        origin=cheapest.origin.label,
    )


def _said_of_price(best: int, meeting: int) -> str:
    of = f"{number_of(meeting, 'ranked system')} that meet all requirements"
    if best == 1:
        return f"It is the best of {of}: no cheaper one is as good."
    return f"The cheapest of the {best:,} that are tied as the best of {of}."


def _costs(submissions: list[Submission]) -> list[Cost]:
    """What each costs, all in one coin: dollars where all of them say them, else tokens; empty where neither is so."""
    for cost in (dollars, tokens):
        found = [known for each in submissions if (known := cost(each))]
        if len(found) == len(submissions):
            return found
    return []


def dollars(submission: Submission) -> Cost | None:
    """What a query costs by the price of its system; None where a price or a count of tokens is not known.

    Args:
        submission: With its system.
    """
    system, used = submission.system, submission.efficiency
    read, written, queries = used.get("prompt_tokens"), used.get("generated_tokens"), submission.row_count
    if system.price_in is None or system.price_out is None or read is None or written is None or not queries:
        return None
    return Cost((read * system.price_in + written * system.price_out) / MILLION / queries, dollars=True)


def tokens(submission: Submission) -> Cost | None:
    """How many tokens a query takes, as the page of the board says; None where it is not reported.

    Args:
        submission: Any.
    """
    used = submission.efficiency.get("tokens_per_query")
    return Cost(float(used), dollars=False) if used else None


KEEP_SECONDS = 24 * 3600
#: In the order of the page; each makes a card from a board, or none.
KINDS: tuple[Callable[[Contest], Card | None], ...] = (
    keeps_track_the_longest,
    best_for_its_price,
    least_swayed,
    failing.everybody_fails,
)


@dataclass(frozen=True, slots=True)
class PlacedCard:
    """A card and the board that it was made from."""

    card: Card
    version: Version

    @property
    def url(self) -> str:
        """Where the name of the card leads: its system, or the board by these questions alone."""
        query = f"?{self.card.query}" if self.card.query else ""
        return self.card.url or f"{self.version.get_board_url()}{query}"


def cards_of(versions: Sequence[Version]) -> list[PlacedCard]:
    """At most one card of each kind, from the first board that has one.

    Args:
        versions: Boards, those that come first first.
    """
    by_version = [(version, of_version(version)) for version in versions]
    made = (
        next((PlacedCard(card, version) for version, of in by_version if (card := of[number])), None)
        for number in range(len(KINDS))
    )
    return [card for card in made if card is not None]


def of_version(version: Version) -> list[Card | None]:
    """What the board of a version says, a card or none of each of `KINDS`.

    Args:
        version: Any that readers see.
    """
    if placements.why_diagnostic(version):
        return [None] * len(KINDS)
    shown = Submission.objects.on_board(version)
    state = placements.board_state(version, shown)
    named = stored.fingerprint(
        [state.fingerprint, *sorted(state.names.values()), version.shown_step, version.guessing]
    )
    key = f"front-cards-2:{version.pk}:{named}"
    cards: list[Card | None] | None = cache.get(key)
    if cards is None:
        contest = contest_of(version)
        if contest is None:  # ranks or lengths are on their way
            return [None] * len(KINDS)
        cards = list(_made(contest))
        cache.set(key, cards, KEEP_SECONDS)
    return cards


def _made(contest: Contest) -> Iterator[Card | None]:
    yield from (kind(contest) for kind in KINDS)
