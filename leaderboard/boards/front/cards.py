"""Cards of the front page: what the boards show of who keeps track the longest, costs least, is swayed least, and
where everybody fails.

Each statement is one of docs/statistics.md, or there is no card. A version that ranks nobody makes none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from leaderboard.benchmarks.models import Version
from leaderboard.boards.front import failing, price, swayed, track
from leaderboard.boards.front.contest import Card, Contest, contest_of
from leaderboard.boards.placements import placements, stored
from leaderboard.submissions.models import Submission
from leaderboard.web.results_cache import cache

KEEP_SECONDS = 24 * 3600
#: In the order of the page; each makes a card from a board, or none.
KINDS: tuple[Callable[[Contest], Card | None], ...] = (
    track.keeps_track_the_longest,
    price.best_for_its_price,
    swayed.least_swayed,
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
