"""An example of StateBench for visitors to answer: a generated conversation in which facts are replaced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from evaluation.core.plugin.examples import Example, ExampleChoice, ExampleLine, Role, Term
from evaluation.core.terminal.wording import number_of
from evaluation.statebench.records import Event, Timeline

if TYPE_CHECKING:
    from evaluation.core.suite import Suite

#: One timeline of the most eventful track. Sealed versions never have a seed this small.
TRACK = "brutal_realistic"
SETTINGS: dict[str, Any] = {"tracks": [TRACK], "count": 1, "seed": 1}
QUERY = 0  # of three: the one about the budget
UNSETTLED = "That was never settled"
TERMS = (
    Term("Timeline", "A conversation with the facts recorded along the way, and questions at its end."),
    Term(
        "Track",
        "One kind of situation: a fact is replaced, a fact is confidential, a rumour has no authority.",
    ),
    Term("Fact", "A statement recorded as true, with its source and scope."),
    Term(
        "Supersession",
        "A newer fact replaces an older one. The older one is superseded and must not come back.",
    ),
    Term(
        "Stale-fact rate",
        "Superseded facts that resurface (SFRR in the published judge): how often an answer mentions something that "
        "was replaced. Lower is better.",
    ),
    Term("Decision accuracy", "How often the answer makes the decision that the current facts require."),
    Term("Scope", "Where and for how long a fact is valid: in one task, for one customer, everywhere."),
    Term("Authority", "The rank of a source. A policy outranks a wish, whichever came first."),
    Term(
        "Strategy",
        "A method that builds the text for a model from a timeline. Without a model, it is not ranked.",
    ),
    Term("Template", "The pattern of a timeline. Timelines of one template are copies with different names."),
)


@cache
def example(suite: Suite) -> Example:
    """A timeline, one of its questions, and three answers: with the replaced fact, the current fact, and neither."""
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
    """Turns and written facts, without writes right after a turn, which only repeat the turn."""
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
        return "gold", "the latest statement, valid now"
    if before in text:
        return "old", "superseded"
    return "", "something else"


def _choices(timeline: str, lines: Sequence[ExampleLine], now: str, before: str) -> list[ExampleChoice]:
    gold, old = (_place(lines, role) for role in ("gold", "old"))
    made = [
        (before, False, f"This comes from line {old}, which line {gold} has superseded."),
        (now, True, f"This comes from line {gold}, the latest statement."),
        (UNSETTLED, False, f"Line {gold} settles the question."),
    ]
    return [
        ExampleChoice(text, right, why, {"timeline_id": timeline, "query_idx": QUERY, "response": f"{text}."})
        for text, right, why in made
    ]


def _oracle(lines: Sequence[ExampleLine], now: str, before: str) -> str:
    gold, old = (_place(lines, role) for role in ("gold", "old"))
    return (
        f"Line {gold} replaces line {old}, so {now} is valid. An answer that mentions {before} counts against a "
        "system, even if it also names the new value."
    )


def _place(lines: Sequence[ExampleLine], role: Role) -> int:
    return next(at for at, line in enumerate(lines, 1) if line.role == role)
