"""Builds the worked example of GoldEvidenceBench for readers: a generated episode of eight lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from evaluation.core.plugin.examples import Example, ExampleChoice, ExampleLine, Role, Term
from evaluation.goldevidence.records import EpisodeRow

if TYPE_CHECKING:
    from evaluation.core.suite import Suite

#: The first short episode of these settings in which the key asked about is written twice, then contradicted by a NOTE
#: and by a distractor. No sealed version has a seed as small.
SEED = 888
SETTINGS: dict[str, Any] = {
    "protocol": "open",
    "seeds": [SEED],
    "generator": {
        "episodes": 1,
        "steps": 8,
        "keys": 3,
        "queries": 3,
        "chapters": 1,
        "twins": False,
        "derived_query_rate": 0.0,
        "clear_rate": 0.0,
        "note_rate": 0.3,
        "distractor_rate": 0.3,
        "tail_distractor_steps": 1,
        "state_mode": "kv_commentary",
        "distractor_profile": "adversarial",
    },
}
KEY = "tag.00"
#: A log line: its id, if it has one; what it is; the rest.
LINE = re.compile(r"- (?:\[(?P<uid>U[0-9A-F]{6})\] )?(?P<text>.+)")
STATED = re.compile(rf"\b{re.escape(KEY)} = (?P<value>\S+)")
TERMS = (
    Term("Log", "The episode as it happened: one line per step, updates and noise mixed, oldest first."),
    Term(
        "Book",
        "The log retold as chapters of prose, usually with the ledger at the end. Chapters may be wrong on purpose; "
        "if there is a ledger, only the ledger counts.",
    ),
    Term("Ledger", "The list of all updates, each with an id. It alone decides which value is valid."),
    Term("Tag", "A name that holds one value at a time, such as tag.07. Also called a key."),
    Term("UPDATE", "A line of the log with an id. With SET or CLEAR it changes the value of a tag."),
    Term("NOTE", "Commentary. It may state a value, but never changes one."),
    Term(
        "Distractor",
        "A line about a tag that changes nothing: a rumour, an echo of an old value, an outdated recap, an instruction "
        "to answer something else.",
    ),
    Term(
        "Gold line", "The ledger line that the right answer follows from: the latest SET or CLEAR of the tag."
    ),
    Term(
        "Citation",
        "The id of a line that an answer gives as its evidence. An exact answer has the right value and cites the line "
        "that sets it.",
    ),
    Term(
        "Twin episode",
        "The same episode with updates changed, so that right answers flip. A system that answers both alike did not "
        "read them.",
    ),
    Term(
        "Candidates",
        "A few ledger lines (k of them) shown instead of the whole text. The position of the gold line among them "
        "must not matter.",
    ),
    Term(
        "Order bias",
        "Choosing a line for its position (first, in the middle, last) rather than for its content.",
    ),
    Term("Distractor profile", "Kinds and number of an episode's distractors."),
)


@cache
def example(suite: Suite) -> Example:
    """Return the episode, a question about one tag, and one answer for each value that the lines state for this tag."""
    version = suite.version(SETTINGS)
    (item,) = version.generate()
    row = next(row for row in cast(Sequence[EpisodeRow], item.rows) if row["meta"]["key"] == KEY)
    lines = _lines(row)
    return Example(
        item,
        version.settings.as_json(),
        heading=f"A log of {len(lines)} lines",
        lines=lines,
        question=row["question"].splitlines()[0],
        choices=_choices(row, lines),
        oracle=_oracle(lines),
        like="about a tag with a NOTE",
        parts=(("notes", "with"),),
        words=("Tag", "UPDATE", "NOTE", "Distractor"),
    )


def _lines(row: EpisodeRow) -> list[ExampleLine]:
    found = [match for line in row["document"].splitlines() if (match := LINE.fullmatch(line))]
    gold = next(at for at, match in enumerate(found, 1) if match["uid"] == row["gold"]["support_id"])
    return [ExampleLine(match["text"], *_role(match, gold, at)) for at, match in enumerate(found, 1)]


def _role(match: re.Match[str], gold: int, at: int) -> tuple[Role, str]:
    text = match["text"]
    if not STATED.search(text):
        return "", "another tag"
    if at == gold:
        return "gold", "the latest update: this value is valid"
    if " SET " in text:
        return "old", f"overwritten by line {gold}"
    if " NOTE " in text:
        return "trap", "a NOTE: changes nothing"
    return "trap", "a distractor: changes nothing"


def _choices(row: EpisodeRow, lines: Sequence[ExampleLine]) -> list[ExampleChoice]:
    """Return one answer per stated value, in alphabetical order so that the order does not reveal the right answer."""
    stated = {
        match["value"]: (at, line) for at, line in enumerate(lines, 1) if (match := STATED.search(line.text))
    }
    gold = next(at for at, line in stated.values() if line.role == "gold")
    return [_choice(row, value, *stated[value], gold) for value in sorted(stated)]


def _choice(row: EpisodeRow, value: str, at: int, line: ExampleLine, gold: int) -> ExampleChoice:
    why = {
        "gold": f"Line {at} sets this value, and no later line sets the tag.",
        "old": f"Line {at} sets this value, but line {gold} overwrites it.",
        "trap": f"Line {at} states this value, but {line.why.replace(': ', ' ')}.",
    }[line.role]
    answer = {"id": row["id"], "value": value, "support_ids": [row["gold"]["support_id"]]}
    return ExampleChoice(value, line.role == "gold", why, answer)


def _oracle(lines: Sequence[ExampleLine]) -> str:
    gold = next(at for at, line in enumerate(lines, 1) if line.role == "gold")
    traps = [f"{at}" for at, line in enumerate(lines, 1) if line.role == "trap"]
    return (
        f"Line {gold} is the last UPDATE that sets {KEY}, so its value is valid until the end. Lines "
        f"{' and '.join(traps)} state another value later, but change nothing: only an UPDATE with SET or CLEAR does."
    )
