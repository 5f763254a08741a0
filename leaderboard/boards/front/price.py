"""The cheapest of the best systems of a board that meet all requirements."""

from __future__ import annotations

from typing import NamedTuple

from evaluation.core.terminal.wording import number_of
from leaderboard.boards.front.contest import Card, Contest
from leaderboard.boards.placements import ranking
from leaderboard.submissions.models import Submission

MILLION = 1_000_000


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
    within = f" ({ends[0]:.2f}–{ends[1]:.2f})" if ends else ""
    return Card(
        "Best for its price",
        cheapest.system.name,
        least.words,
        f"{headline.label} {cheapest.result or 0:.2f}{within}. {_said(len(best), len(meeting))}",
        url=cheapest.system.get_absolute_url(),
        origin=cheapest.origin.label,
    )


def _said(best: int, meeting: int) -> str:
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
