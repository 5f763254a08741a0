"""A mistake in full: what was shown in its order, what was chosen, what is right, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NotRequired, TypedDict, cast

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.grading.failures import failure
from evaluation.goldevidence.mistakes.kinds import (
    AUTHORITY_VIOLATION,
    RETRIEVAL_MISS,
    WRONG_SELECTION,
    Judged,
)
from evaluation.goldevidence.records import EpisodeRow

#: Where the lines of a record come from.
CANDIDATES, OWN, TEXT = "candidates", "shown_uids", "text"
RIGHT = "right"  # no kind of mistake
#: Kinds for which another line than the right one was preferred: what hard negatives are made of.
ABOUT_LINES = frozenset({WRONG_SELECTION, RETRIEVAL_MISS, AUTHORITY_VIOLATION})


class LineShown(TypedDict):
    """A line as it was shown."""

    uid: str
    step: int
    op: str
    key: str
    value: str | None
    remark: NotRequired[str]


class Given(TypedDict):
    """An answer."""

    value: str | None
    support_ids: list[str]


class Mistake(TypedDict):
    """One kind of mistake in one row."""

    id: str
    kind: str
    kinds: list[str]  # all of the row
    episode_id: str
    unit: str
    condition: str
    key: str
    question: str
    shown_from: str
    shown: list[LineShown]
    missed: list[LineShown]  # lines that establish the answer and are none of those
    chosen: LineShown | None  # the line that is cited first
    answer: Given
    right: Given  # null and no lines where nothing shown establishes an answer
    why: str


def lines_shown(row: EpisodeRow, judged: Judged) -> tuple[str, list[LineShown]]:
    """The lines that the answerer chose among, in the order shown.

    Args:
        row: The question.
        judged: Its answer.

    Returns:
        `candidates` of the row, `shown_uids` of the prediction, or, where a whole text was read, the lines of that
        `text` about the tags of the question and of what was cited.
    """
    if judged.has_candidates:
        remarks = {line["uid"]: line["remark"] for line in row["candidates"] if line.get("remark")}
        return CANDIDATES, [_line(entry, remarks.get(entry.uid)) for entry in judged.shown.entries()]
    if judged.own is not None:
        return OWN, [_line(entry) for entry in _found(judged, judged.own)]
    concerned = {judged.case.key} | {
        entry.key for entry in _found(judged, [*judged.case.gold_ids, *judged.answer.cited])
    }
    return TEXT, [_line(entry) for entry in judged.shown.entries() if entry.key in concerned]


def records(row: EpisodeRow, judged: Judged) -> Iterator[Mistake]:
    """The mistakes of one row, one record for each kind.

    Args:
        row: The question with its gold.
        judged: Its answer.
    """
    kinds = judged.kinds
    if not kinds:
        return
    told = _told(row, judged)
    for kind in kinds:
        yield {**told, "kind": kind, "kinds": kinds, "why": why(kind, judged)}


def right_record(row: EpisodeRow, judged: Judged) -> Mistake:
    """The same of a row without a mistake, for what learns from both: its kind is `right`.

    Args:
        row: The question with its gold.
        judged: Its answer, which makes no mistake.
    """
    return {**_told(row, judged), "kind": RIGHT, "kinds": [], "why": ""}


def _told(row: EpisodeRow, judged: Judged) -> Mistake:
    """What the records of a row have in common."""
    case, answer = judged.case, judged.answer
    shown_from, shown = lines_shown(row, judged)
    chosen = next((_line(entry) for entry in _found(judged, answer.cited[:1])), None)
    right: Given = {"value": None, "support_ids": []}
    missed: list[LineShown] = []
    if judged.gold_shown or judged.own is not None:
        right = {"value": case.gold, "support_ids": case.gold_ids}
        known = {line["uid"] for line in shown}
        missed = [_line(entry) for entry in _found(judged, case.gold_ids) if entry.uid not in known]
    return {
        "id": cast(str, case.id),
        "kind": "",
        "kinds": [],
        "episode_id": str(row.get("episode_id", "")),
        "unit": case.unit,
        "condition": case.condition,
        "key": case.key,
        "question": row["question"],
        "shown_from": shown_from,
        "shown": shown,
        "missed": missed,
        "chosen": chosen,
        "answer": {
            "value": None if answer.value is None else encodable(answer.value),
            "support_ids": list(map(encodable, answer.cited)),
        },
        "right": right,
        "why": "",
    }


def why(kind: str, judged: Judged) -> str:
    """Why an answer is a mistake of a kind, in a sentence.

    Args:
        kind: One that it makes.
        judged: The answer.
    """
    match kind:
        case "wrong_selection":
            return _why_wrong_line(judged)
        case "retrieval_miss":
            lines = len(judged.own or ())
            return f"The {lines} lines shown lack {_named(judged, judged.gold_uid)}, which establishes the answer."
        case "wrong_abstention" if judged.abstained:
            rights = [_named(judged, uid) for uid in judged.case.gold_ids]
            establish = "was shown, which establishes" if len(rights) == 1 else "were shown, which establish"
            return f"Nothing was answered, and {' and '.join(rights)} {establish} the answer."
        case "wrong_abstention":
            return f"{_value(judged)} was answered, and no line shown establishes an answer: null was right."
    _, sentence = failure(judged.case, judged.answer, judged.shown, judged.verdict, judged.options.rules)
    return encodable(sentence or "The citations are not those that the question asks for.")


def encodable(text: str) -> str:
    """A text of a prediction without halves of surrogate pairs, which no file can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _why_wrong_line(judged: Judged) -> str:
    uid = judged.answer.cited[0]
    chosen = next(_found(judged, [uid]))
    right, named = _named(judged, judged.gold_uid), f"step {chosen.step} ({uid})"
    if chosen.op == "NOTE":
        return f"It chose {named}, a NOTE, which establishes nothing; {right} does."
    if not chosen.authoritative:
        return f"It chose {named}, whose marker is missing; {right} holds."
    if chosen.key != judged.case.key:
        return f"It chose {named}, which is about {chosen.key}; {right} holds."
    later = [entry for entry in _of_key(judged) if entry.authoritative and entry.step > chosen.step]
    if not later:
        return f"It chose {named}; {right} holds."
    next_one = min(later, key=lambda entry: entry.step)
    became = "cleared" if next_one.op == "CLEAR" else "overwritten"
    holds = "" if next_one.uid == judged.gold_uid else f"; {right} holds"
    return f"It chose {named}, {became} at step {next_one.step} ({next_one.uid}){holds}."


def _of_key(judged: Judged) -> Iterable[Entry]:
    return (entry for entry in judged.shown.entries() if entry.key == judged.case.key)


def _named(judged: Judged, uid: str) -> str:
    line = judged.shown.line(uid)
    return uid if line is None else f"step {line[0]} ({uid})"


def _value(judged: Judged) -> str:
    value = encodable(judged.answer.value or "")
    return repr(value if len(value) <= 80 else f"{value[:79]}…")


def _found(judged: Judged, uids: Sequence[str]) -> Iterator[Entry]:
    for uid in uids:
        line = judged.shown.line(uid)
        if line is not None:
            yield Entry(uid, *line)


def _line(entry: Entry, remark: str | None = None) -> LineShown:
    line: LineShown = {
        "uid": entry.uid,
        "step": entry.step,
        "op": entry.op,
        "key": entry.key,
        "value": entry.value,
    }
    return line | {"remark": remark} if remark else line
