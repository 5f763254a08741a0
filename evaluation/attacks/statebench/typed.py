"""Attackers of typed answers. They use frequent decisions, values at fixed positions, or the question's wording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import cast

from evaluation.attacks.plan import Answers, Attacker, Example, PublicLine
from evaluation.attacks.statebench import shortcuts
from evaluation.attacks.statebench.view import PLACES, Asked, TimelineView, golds, mentioned, values_of
from evaluation.attacks.table_reader import Move
from evaluation.statebench.data.typed_gold import NO, UNCLEAR, VALUE, YES
from evaluation.statebench.grading.typed.quantities import same_value
from evaluation.statebench.records import Response, Timeline

Decide = Callable[[Asked], tuple[str, str | None]]


class TypedView(TimelineView):
    """Lets a `TableReader` give typed answers. A move states a decision, or names a value by its position."""

    def right_moves(self, example: Example) -> Iterator[tuple[Asked, Collection[Move]]]:
        """Yield each query with its right moves: state the decision, or name a position with the right value."""
        for question, truth in zip(self.questions(example.line), golds(example.row), strict=True):
            gold = truth["answer"]
            assert gold is not None
            if gold["decision"] != VALUE:
                yield question, [("say", gold["decision"])]
                continue
            known = values_of(question.texts)
            right = [n for n, value in enumerate(known) if same_value(value, str(gold.get("value")))]
            places = [*(("first", n) for n in right), *(("last", len(known) - 1 - n) for n in right)]
            yield question, [move for move in places if move[1] < PLACES]

    def answer(self, question: Asked, move: Move) -> Response | None:
        """The prediction with this decision, or with the value at this position. None if there is no such value."""
        kind, what = move
        if kind == "say":
            return typed(question, str(what), None)
        known, number = values_of(question.texts), cast(int, what)
        if number >= len(known):
            return None
        return typed(question, VALUE, known[number] if kind == "first" else known[-1 - number])


VIEW = TypedView()


def typed(question: Asked, decision: str, value: str | None) -> Response:
    """A prediction with a typed answer. `value` is None unless `decision` is "value"."""
    return {
        "timeline_id": question.timeline["id"],
        "query_idx": question.query_idx,
        "answer": {"decision": decision, "value": value, "because": []},
    }


class Decides:
    def __init__(self, rule: Decide) -> None:
        self._rule = rule

    def __call__(self, line: PublicLine) -> Iterator[Response]:
        for question in VIEW.questions(line):
            decision, value = self._rule(question)
            yield (
                VIEW.nothing(question)
                if decision == VALUE and value is None
                else typed(question, decision, value)
            )


def _always(decision: str, examples: Sequence[Example]) -> Answers:
    return Decides(lambda question: (decision, None))


def _last_value(examples: Sequence[Example]) -> Answers:
    return Decides(lambda question: (VALUE, next(reversed(values_of(question.texts)), None)))


def _value_of_last_mention(examples: Sequence[Example]) -> Answers:
    return Decides(lambda question: (VALUE, next(reversed(values_of((mentioned(question),))), None)))


def _frequent_value(examples: Sequence[Example]) -> Answers:
    """Make an attacker that gives the value that the texts name most often; on ties the last one."""

    def rule(question: Asked) -> tuple[str, str | None]:
        named = Counter[str]()
        for text in question.texts:
            named.update(values_of((text,)))
        return VALUE, max(reversed(named), key=lambda value: named[value], default=None)

    return Decides(rule)


def _top_value(examples: Sequence[Example]) -> Answers:
    right = Counter(
        str(gold["value"])
        for each in examples
        for truth in golds(each.row)
        if (gold := truth["answer"]) and gold.get("value")
    )
    value = right.most_common(1)[0][0] if right else None
    return Decides(lambda question: (VALUE, value))


def _majority_of_track(examples: Sequence[Example]) -> Answers:
    """Make an attacker that finds a question's track (kind of timeline) and gives its most frequent decision."""
    tracks: dict[Hashable, Counter[str]] = {}
    decisions: dict[str, Counter[str]] = {}
    for each in examples:
        track = cast(Timeline, each.row)["track"]
        for question, truth in zip(VIEW.questions(each.line), golds(each.row), strict=True):
            tracks.setdefault(shortcuts.masked(question.prompt), Counter())[track] += 1
            decisions.setdefault(track, Counter())[decision_of(truth)] += 1
    best = {track: counts.most_common(1)[0][0] for track, counts in decisions.items()}
    overall = sum(decisions.values(), Counter[str]()).most_common(1)

    def rule(question: Asked) -> tuple[str, str | None]:
        asked = tracks.get(shortcuts.masked(question.prompt))
        decision = best[asked.most_common(1)[0][0]] if asked else overall[0][0] if overall else UNCLEAR
        return decision, next(reversed(values_of(question.texts)), None) if decision == VALUE else None

    return Decides(rule)


def decision_of(truth: Mapping[str, object]) -> str:
    return str(cast(Mapping[str, object], truth["answer"])["decision"])


def typed_attackers() -> Iterator[Attacker]:
    for decision in (YES, NO, UNCLEAR):
        yield Attacker(
            decision,
            f"Always {decision}",
            f"Decides “{decision}” everywhere.",
            "floor",
            partial(_always, decision),
        )
    yield Attacker(
        "top_value",
        "Top value",
        "The value that is right most often in the public twin.",
        "floor",
        _top_value,
    )
    for name, label, about, build in (
        ("last_value", "Last value", "The last value or name before the question.", _last_value),
        (
            "last_mention",
            "Last mention",
            "The last value of the last text that shares the most words with the question.",
            _value_of_last_mention,
        ),
        (
            "frequent_value",
            "Most frequent value",
            "The value or name that the texts contain most often.",
            _frequent_value,
        ),
        (
            "track_majority",
            "Track majority",
            "The most frequent decision, in the public twin, of the track whose questions have this wording.",
            _majority_of_track,
        ),
    ):
        yield Attacker(name, label, about, "shortcut", build)
