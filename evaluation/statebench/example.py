"""An example of StateBench to answer oneself: a conversation in which facts are replaced, from the generator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from evaluation.core.plugin.examples import Example, ExampleChoice, ExampleLine, Role, Term
from evaluation.core.terminal.wording import number_of
from evaluation.statebench.records import Event, Timeline

if TYPE_CHECKING:
    from evaluation.core.suite import Suite

#: One timeline of the track with the most that happens. No sealed version has a seed as small.
TRACK = "brutal_realistic"
SETTINGS: dict[str, Any] = {"tracks": [TRACK], "count": 1, "seed": 1}
QUERY = 0  # of its three: what the budget is
UNSETTLED = "Nobody settled that"
TERMS = (
    Term("Timeline", "A conversation with what was written down on the way, and the questions at its end."),
    Term(
        "Track",
        "One kind of situation: a fact is replaced, a person may not know it, a rumour has no authority.",
    ),
    Term("Fact", "Something that is written down as true, with who said it and for whom it holds."),
    Term(
        "Supersession",
        "A newer fact replaces an older one. The older one is superseded and must not come back.",
    ),
    Term(
        "Stale-fact rate",
        "Superseded facts that resurface (SFRR in the published judge): how often an answer mentions something that "
        "was replaced. Lower is better.",
    ),
    Term("Decision accuracy", "How often the answer decides as what holds now demands."),
    Term("Scope", "For whom or for how long a fact holds: one task, one customer, everybody."),
    Term("Authority", "Who said it. A policy outranks a wish, whichever came first."),
    Term(
        "Strategy",
        "How the text that a model is shown is built from a timeline. By itself it decides nothing, and is not ranked.",
    ),
    Term(
        "Template",
        "What timelines of a track are made from. Timelines of one template are copies with other names.",
    ),
)


@cache
def example(suite: Suite) -> Example:
    """A timeline, one of its questions, and three answers: the fact that was replaced, the one that holds, neither."""
    version = suite.version(SETTINGS)
    (item,) = version.generate()
    timeline = cast(Timeline, item.rows[0])
    queries = [event for event in timeline["events"] if event["type"] == "query"]
    truth = queries[QUERY]["ground_truth"]
    now, before = f"{truth['must_mention'][0]}", f"{truth['must_not_mention'][0]}"
    lines = list(_lines(timeline["events"], now, before))
    return Example(
        item,
        version.settings.as_json(),
        heading=f"A conversation of {number_of(len(lines), 'line')}",
        lines=lines,
        question=queries[QUERY]["prompt"],
        choices=_choices(timeline["id"], lines, now, before),
        oracle=_oracle(lines, now, before),
        like="in which budget, builder and site change while people talk",
        parts=(("track", TRACK),),
        words=("Fact", "Supersession", "Authority"),
    )


def _lines(events: Sequence[Event], now: str, before: str) -> Iterator[ExampleLine]:
    """What was said, and what was written down beside it; what is written behind a word only repeats it."""
    said = False
    for event in events:
        if event["type"] == "conversation_turn":
            yield ExampleLine(event["text"], *_role(event["text"], now, before))
        elif event["type"] == "state_write" and not said:
            for write in event["writes"]:
                text = f"(written down) {write['value']}"
                yield ExampleLine(text, *_role(text, now, before))
        said = event["type"] == "conversation_turn"


def _role(text: str, now: str, before: str) -> tuple[Role, str]:
    if now in text:
        return "gold", "the later word: this holds"
    if before in text:
        return "old", "superseded"
    return "", "something else"


def _choices(timeline: str, lines: Sequence[ExampleLine], now: str, before: str) -> list[ExampleChoice]:
    gold, old = (_place(lines, role) for role in ("gold", "old"))
    made = [
        (before, False, f"It comes from line {old}, which line {gold} has superseded."),
        (now, True, f"It comes from line {gold}, the later word."),
        (UNSETTLED, False, f"Line {gold} settles it."),
    ]
    return [
        ExampleChoice(text, right, why, {"timeline_id": timeline, "query_idx": QUERY, "response": f"{text}."})
        for text, right, why in made
    ]


def _oracle(lines: Sequence[ExampleLine], now: str, before: str) -> str:
    gold, old = (_place(lines, role) for role in ("gold", "old"))
    return (
        f"Line {gold} replaces line {old}, so {now} holds. An answer that brings {before} back is counted against a "
        "system, even where it names the new value as well."
    )


def _place(lines: Sequence[ExampleLine], role: Role) -> int:
    return next(at for at, line in enumerate(lines, 1) if line.role == role)
