"""Mistakes as training data, in the formats of common trainers. A row with several kinds is converted once.

    preferences  {"prompt", "chosen", "rejected"}       TRL's preference format, for DPO and the like
    triplets     {"anchor", "positive", "negative"}     triplets of sentence-transformers, one line per negative
    abstain      {"prompt", "label"}                    label `answer` if the lines establish an answer, else `abstain`
    selector     examples for `goldevidencebench selector train`

A prompt consists of the lines in the record (`record.lines_shown`) and the question, never of a whole text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TypedDict

from evaluation.goldevidence.conditions.perturb import UNMARKED
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.mistakes.record import ABOUT_LINES, WRONG_ABSTENTION, Given, LineShown, Mistake
from evaluation.goldevidence.selectors.export import Example

#: Most negatives of a mistake, the chosen one first: batches are small.
MOST_NEGATIVES = 8
ANSWER, ABSTAIN = "answer", "abstain"
_FORM = "\nReply with one JSON object"


class Preference(TypedDict):
    id: str
    prompt: str
    chosen: str
    rejected: str


class Triplet(TypedDict):
    """A question, the line that answers it, and a line that does not."""

    anchor: str
    positive: str
    negative: str


class Label(TypedDict):
    id: str
    prompt: str
    label: str


def preference(mistake: Mistake) -> Preference | None:
    """The right answer as chosen, the given answer as rejected. Returns None if they are equal."""
    cites = '"support_ids"' in mistake["question"] or bool(mistake["answer"]["support_ids"])
    right = _best(mistake)
    chosen, rejected = _answer(right, cites=cites), _answer(mistake["answer"], cites=cites)
    if chosen == rejected:
        return None
    return {"id": mistake["id"], "prompt": _prompt(mistake), "chosen": chosen, "rejected": rejected}


def triplets(mistake: Mistake) -> Iterator[Triplet]:
    """Yield one triplet per hard negative."""
    negatives = hard_negatives(mistake)
    if not negatives:
        return
    query, positive = _query(mistake), _positive(mistake)
    if positive is not None:
        for negative in negatives:
            yield {"anchor": query, "positive": positive, "negative": _text(negative)}


def hard_negatives(mistake: Mistake) -> list[LineShown]:
    """At most MOST_NEGATIVES wrong lines: the chosen line first, then the latest lines.

    Empty if the mistake has no kind in ABOUT_LINES, or the right answer does not need exactly one line.
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
    """A training example with the right decision, to answer or to abstain. Returns None for other kinds of mistakes."""
    if mistake["kinds"] and WRONG_ABSTENTION not in mistake["kinds"]:
        return None
    silent = mistake["answer"]["value"] is None and not mistake["answer"]["support_ids"]
    right = silent == bool(mistake["kinds"])
    return {"id": mistake["id"], "prompt": _prompt(mistake), "label": ANSWER if right else ABSTAIN}


def example(mistake: Mistake) -> Example | None:
    """An example for training a selector. Returns None unless the one right line was shown beside other lines."""
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
    query: str
    positive: str
    negatives: list[str]


class Learnt(TypedDict):
    preference: Preference | None
    negatives: Negatives | None
    abstain: Label | None


def learnt(mistake: Mistake) -> Learnt:
    """Convert a mistake to a preference, to hard negatives and to a label. A form that does not apply is None."""
    negatives, positive = hard_negatives(mistake), _positive(mistake)
    found: Negatives | None = None
    if negatives and positive is not None:
        found = {"query": _query(mistake), "positive": positive, "negatives": list(map(_text, negatives))}
    return {"preference": preference(mistake), "negatives": found, "abstain": label(mistake)}


def _best(mistake: Mistake) -> Given:
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
    rights = mistake["right"]["support_ids"]
    lines = [line for line in [*mistake["shown"], *mistake["missed"]] if line["uid"] in rights]
    return _text(lines[0]) if len(rights) == 1 and lines else None


def _text(line: LineShown) -> str:
    entry = Entry(line["uid"], line["step"], line["op"], line["key"], line["value"])
    return f"{entry.line()} ({line['remark']})" if "remark" in line else entry.line()


#: Forms that need rows without a mistake too: docs/mistakes.md shows the effect of training on mistakes alone.
WITH_RIGHT = frozenset({"abstain", "selector"})
#: Form -> the lines of a row.
FORMS: dict[str, Callable[[Mistake], Iterator[object]]] = {
    "preferences": lambda mistake: filter(None, [preference(mistake)]),
    "triplets": triplets,
    "abstain": lambda mistake: filter(None, [label(mistake)]),
    "selector": lambda mistake: filter(None, [example(mistake)]),
}
