"""The finding of a board in a sentence or two: the leader with score and lead, or the systems tied for first.

The finding claims no more than the ranks: a system leads only if its rank range is 1 alone, a version with too few
units has no leader, and systems not above guessing are not named. Systems that fail a requirement are counted, and
named only if they score higher than the best system that fails none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from evaluation.core.terminal.wording import noun
from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import ranking
from leaderboard.boards.placements.ranking import COMPUTING, CROSSED, SELF_REPORTED, Placement
from leaderboard.boards.rows import part_headline
from leaderboard.boards.slices import WHOLE, BoardSlice
from leaderboard.submissions.models import Submission
from leaderboard.web.formatting import number

MOST_NAMED = 3  # systems in one sentence; the others are counted
NO_MODEL = "No model yet."
ONLY_REFERENCES = "No model yet: only reference systems have been graded here."
ONLY_REPORTED = "No model yet: only reference systems and self-reported results, which are not ranked here."
NONE_ABOVE = "No system is above guessing."
LATE = "Ranks are not computed yet."

#: The headline of a placement as pages show it; None: not known.
ValueOf = Callable[[Placement], float | None]


def headline_summary(
    placements: Sequence[Placement], *, better: str = "higher", value_of: ValueOf = lambda placement: None
) -> str:
    """The finding of a board, given all of its placements in order; may be empty. Calls `value_of` at most once."""
    if why := ranking.why_no_ranks(placements):
        return _no_ranks(why)
    ranked = [placement for placement in placements if placement.rank is not None]
    if not ranked:
        return _none_ranked(placements)
    finding = _Finding(placements, better, value_of)
    return f"{finding.best(ranked)} {finding.counts(ranked)}".strip()


def board_summary(version: Version, placements: Sequence[Placement], part: BoardSlice = WHOLE) -> str:
    """The finding of a version's board over `part`, given all placements of that board in order; may be empty."""

    def value_of(placement: Placement) -> float | None:
        if part:
            return part_headline(version, placement.figure).value
        first = Submission.objects.select_related("system", "score").filter(pk=placement.key).first()
        if first is not None:
            first.version = version
        return first.result if first else None

    return headline_summary(placements, better=version.headline.better, value_of=value_of)


def _no_ranks(why: str) -> str:
    if why == CROSSED:
        return ""
    if why == COMPUTING:
        return LATE
    return f"No ranks: {why}. Read the figures with their intervals."


def _none_ranked(placements: Sequence[Placement]) -> str:
    """Sentence on why a board has no ranked system, although its version can have ranks; may be empty."""
    if any(not placement.above for placement in placements):
        return NONE_ABOVE
    if any(not placement.apart for placement in placements):
        return ""
    if any(placement.reason == SELF_REPORTED for placement in placements):
        return ONLY_REPORTED
    if any(not placement.reference for placement in placements):
        return NO_MODEL
    return ONLY_REFERENCES if placements else ""


class _Finding:
    def __init__(self, placements: Sequence[Placement], better: str, value_of: ValueOf) -> None:
        self._placements, self._better, self._value_of = placements, better, value_of
        self._names = short_names(placements)

    def best(self, ranked: Sequence[Placement]) -> str:
        """Sentence on the leader, on the systems tied for first, or on the best system that fails no requirement."""
        first = ranked[0]
        if len(ranked) == 1:
            below = any(not placement.above for placement in self._placements)
            only = "system above guessing" if below else "ranked system"
            return f"{self._name(first)} is the only {only}{self._with(first, ', with ')}."
        meeting = [placement for placement in ranked if not placement.gated]
        if not meeting:
            of = f"that of {self._name(first)}{self._with(first, ', ')}"
            return f"Every ranked system fails a requirement. The best score is {of}."
        if len(meeting) == len(ranked) or (meeting[0] is first and first.high == 1):
            return self._leader(first, ranked[1]) if first.high == 1 else self._undecided(ranked)
        return self._best_meeting(ranked, meeting)

    def counts(self, ranked: Sequence[Placement]) -> str:
        """Sentence on how many systems fail a requirement or are not above guessing; may be empty."""
        failing = sum(each.gated for each in ranked)
        below = sum(not placement.above for placement in self._placements)
        said = []
        if 0 < failing < len(ranked):
            said.append(f"{failing:,} of {len(ranked):,} {noun(failing, 'fails', 'fail')} a requirement")
        if below and len(ranked) > 1:
            said.append(f"{below:,} {noun(below, 'is', 'are')} not above guessing")
        return f"{'; '.join(said)}." if said else ""

    def _best_meeting(self, ranked: Sequence[Placement], meeting: Sequence[Placement]) -> str:
        first = meeting[0]
        level = [placement for placement in meeting if ranking.are_tied(first, placement)]
        if len(level) == 1:
            best = f"{self._name(first)} is the best system that fails no requirement{self._with(first, ', with ')}."
        else:
            of_them = self._with(first, "; their best score is ")
            best = f"{self._named(level)} are tied as the best systems that fail no requirement{of_them}."
        higher = ranked[: ranked.index(first)]
        if not higher:
            return best
        do = ("scores better but fails a requirement", "score better but fail a requirement")
        return f"{best} {self._named(higher)} {noun(len(higher), *do)}."

    def _leader(self, first: Placement, second: Placement) -> str:
        far = (
            "" if first.lead is None else f", {_far(first, first.lead)} points ahead of {self._name(second)}"
        )
        lower = " (lower is better)" if self._better == "lower" else ""
        return f"{self._name(first)} leads{self._with(first, ' with ')}{lower}{far}."

    def _undecided(self, ranked: Sequence[Placement]) -> str:
        best = [placement for placement in ranked if placement.best]
        its_score = self._with(ranked[0], "; the best score is ")
        if len(best) == len(ranked) > MOST_NAMED:
            return f"All {len(ranked):,} ranked systems are tied for first{its_score}."
        if len(best) < 2:  # a single candidate for the best whose rank range still overlaps others
            best = [placement for placement in ranked if ranking.are_tied(ranked[0], placement)]
        return f"{self._named(best)} are tied for first{its_score}."

    def _with(self, placement: Placement, before: str) -> str:
        value = self._value_of(placement)
        return "" if value is None else f"{before}{number(value)}"

    def _name(self, placement: Placement) -> str:
        return self._names[placement.key]

    def _named(self, placements: Sequence[Placement]) -> str:
        """List of names such as "a, b and 2 more". A model that several systems use is named once."""
        models = list(dict.fromkeys(map(model_of, placements)))
        once = len(models) < len(placements)
        every = models if once else [self._name(placement) for placement in placements]
        names = every if len(every) <= MOST_NAMED else every[: MOST_NAMED - 1]
        if more := len(every) - len(names):
            names = [*names, f"{more:,} more"]
        joined = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        return f"{joined} ({len(placements):,} systems)" if once else joined


def _far(first: Placement, lead: float) -> str:
    ends = first.lead_ends
    if ends is None or ends[0] <= 0:
        return number(lead, "points")
    return f"{number(ends[0], 'points')} to {number(ends[1], 'points')}"


def model_of(placement: Placement) -> str:
    """Part of a system's name that names the model. The name has the form "model · harness · …"."""
    return placement.name.partition(" · ")[0]


def short_names(placements: Sequence[Placement]) -> dict[Any, str]:
    """Key of a placement -> its model. If several systems on a board have the model, "model (harness, …)"."""
    of_model: dict[str, list[set[str]]] = {}
    for each in placements:
        of_model.setdefault(model_of(each), []).append(set(_harness(each)))
    return {
        each.key: _short(each, set.intersection(*parts) if len(parts) > 1 else None)
        for each in placements
        for parts in (of_model[model_of(each)],)
    }


def _harness(placement: Placement) -> list[str]:
    behind = placement.name.partition(" · ")[2]
    return re.split(" · |, ", behind) if behind else []


def _short(placement: Placement, common: set[str] | None) -> str:
    parts = [part for part in _harness(placement) if common is not None and part not in common]
    model = model_of(placement)
    return f"{model} ({', '.join(parts)})" if parts else model
