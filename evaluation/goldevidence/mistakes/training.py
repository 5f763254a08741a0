"""Mistakes as training data, in the forms that other people's trainers read. One line a row, whatever its kinds.

    preferences  {"prompt", "chosen", "rejected"}       TRL's preference format, for DPO and its like
    triplets     {"anchor", "positive", "negative"}     triplets of sentence-transformers, one line a negative
    abstain      {"prompt", "label"}                    whether there was something to answer: `answer` or `abstain`
    selector     what `goldevidencebench selector train` reads

A prompt is the lines that the record shows and the question. Where a system read a whole text, these are its lines
about the tags in question, and not the text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TypedDict

from evaluation.goldevidence.conditions.perturb import UNMARKED
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.mistakes.record import ABOUT_LINES, WRONG_ABSTENTION, Given, LineShown, Mistake
from evaluation.goldevidence.selectors.export import Example

#: Lines of a whole text that are given as negatives at most, the chosen one first: batches hold few.
MOST_NEGATIVES = 8
ANSWER, ABSTAIN = "answer", "abstain"
_FORM = "\nReply with one JSON object"


class Preference(TypedDict):
    """A pair of answers to one prompt."""

    id: str
    prompt: str
    chosen: str
    rejected: str


class Triplet(TypedDict):
    """A question, the line that answers it and one that does not."""

    anchor: str
    positive: str
    negative: str


class Label(TypedDict):
    """Whether lines answer a question."""

    id: str
    prompt: str
    label: str


def preference(mistake: Mistake) -> Preference | None:
    """The answer that is right before the one that was given; None where they do not differ.

    Args:
        mistake: Of any kind.
    """
    cites = '"support_ids"' in mistake["question"] or bool(mistake["answer"]["support_ids"])
    right = _best(mistake)
    chosen, rejected = _answer(right, cites=cites), _answer(mistake["answer"], cites=cites)
    if chosen == rejected:
        return None
    return {"id": mistake["id"], "prompt": _prompt(mistake), "chosen": chosen, "rejected": rejected}


def triplets(mistake: Mistake) -> Iterator[Triplet]:
    """The question with the line that answers it, and each of those that were preferred or shown instead.

    Args:
        mistake: Of a kind that is about lines; the others have none.
    """
    negatives = hard_negatives(mistake)
    if not negatives:
        return
    query, positive = _query(mistake), _positive(mistake)
    if positive is not None:
        for negative in negatives:
            yield {"anchor": query, "positive": positive, "negative": _text(negative)}


def hard_negatives(mistake: Mistake) -> list[LineShown]:
    """The lines that are not the right one: the chosen one first, then the latest.

    Args:
        mistake: Of any kind.
    """
    if not ABOUT_LINES.intersection(mistake["kinds"]) or len(mistake["right"]["support_ids"]) != 1:
        return []
    right, chosen = mistake["right"]["support_ids"][0], mistake["chosen"]
    first = [chosen] if chosen is not None and chosen["uid"] != right else []
    taken = {right, *(line["uid"] for line in first)}
    rest = sorted(
        (line for line in mistake["shown"] if line["uid"] not in taken), key=lambda line: -line["step"]
    )
    return [*first, *rest][:MOST_NEGATIVES]


def label(mistake: Mistake) -> Label | None:
    """Whether there was something to answer; None where the mistake is about something else.

    Args:
        mistake: Of any kind; of a row without a mistake the label is what was done.
    """
    if mistake["kinds"] and WRONG_ABSTENTION not in mistake["kinds"]:
        return None
    silent = mistake["answer"]["value"] is None and not mistake["answer"]["support_ids"]
    right = silent == bool(mistake["kinds"])
    return {"id": mistake["id"], "prompt": _prompt(mistake), "label": ANSWER if right else ABSTAIN}


def example(mistake: Mistake) -> Example | None:
    """The lines with the right one, as a selector learns from them; None where that was not shown, or alone.

    Args:
        mistake: Of any kind.
    """
    rights, lines = mistake["right"]["support_ids"], mistake["shown"]
    if len(rights) != 1 or len(lines) < 2 or all(line["uid"] != rights[0] for line in lines):
        return None
    return {
        "id": mistake["id"],
        "episode_id": mistake["episode_id"],
        "question": mistake["question"],
        "key": mistake["key"],
        "k": len(lines),
        "wrong_type": "same_key" if all(line["key"] == mistake["key"] for line in lines) else "other_key",
        "drop_prob": 0.0,
        "order": None,
        "correct_uid": rights[0],
        "gold_support_uid": rights[0],
        "gold_present": True,
        "candidates": [
            {
                "uid": line["uid"],
                "step": line["step"],
                "op": line["op"],
                "key": line["key"],
                "value": line["value"],
                "authority_spoofed": "remark" in line or line["op"] == UNMARKED,
            }
            for line in lines
        ],
    }


class Negatives(TypedDict):
    """The triplets of a mistake at once."""

    query: str
    positive: str
    negatives: list[str]


class Learnt(TypedDict):
    """What a record adds to its mistake for training."""

    preference: Preference | None
    negatives: Negatives | None
    abstain: Label | None


def learnt(mistake: Mistake) -> Learnt:
    """The mistake as a pair, as hard negatives and as a label, each null where it makes none.

    Args:
        mistake: Of any kind.
    """
    negatives, positive = hard_negatives(mistake), _positive(mistake)
    found: Negatives | None = None
    if negatives and positive is not None:
        found = {"query": _query(mistake), "positive": positive, "negatives": list(map(_text, negatives))}
    return {"preference": preference(mistake), "negatives": found, "abstain": label(mistake)}


def _best(mistake: Mistake) -> Given:
    """The best answer to the prompt: null where its lines do not hold what establishes the right one."""
    shown = {line["uid"] for line in mistake["shown"]}
    if set(mistake["right"]["support_ids"]) <= shown:
        return mistake["right"]
    return {"value": None, "support_ids": []}


def _answer(given: Given, *, cites: bool) -> str:
    return json.dumps(given if cites else {"value": given["value"]}, ensure_ascii=False)


def _prompt(mistake: Mistake) -> str:
    return "\n".join([*map(_text, mistake["shown"]), "", mistake["question"]])


def _query(mistake: Mistake) -> str:
    return mistake["question"].partition(_FORM)[0]


def _positive(mistake: Mistake) -> str | None:
    """The right line. It is not among those shown where the retrieval missed it; then the answer tells it."""
    rights = mistake["right"]["support_ids"]
    lines = [line for line in [*mistake["shown"], *mistake["missed"]] if line["uid"] in rights]
    return _text(lines[0]) if len(rights) == 1 and lines else None


def _text(line: LineShown) -> str:
    """A line as a system reads it."""
    entry = Entry(line["uid"], line["step"], line["op"], line["key"], line["value"])
    return f"{entry.line()} ({line['remark']})" if "remark" in line else entry.line()


#: Those that are of no use without rows that were right: docs/mistakes.md says what is learnt of mistakes alone.
WITH_RIGHT = frozenset({"abstain", "selector"})
#: By name: what a mistake becomes in each form that has one line or more a row.
FORMS: dict[str, Callable[[Mistake], Iterator[object]]] = {
    "preferences": lambda mistake: filter(None, [preference(mistake)]),
    "triplets": triplets,
    "abstain": lambda mistake: filter(None, [label(mistake)]),
    "selector": lambda mistake: filter(None, [example(mistake)]),
}
