"""Exports: mined tasks as training data, in the forms of common trainers, each file with a data card.

chat         messages with the right reply: supervised fine-tuning
preferences  prompt, chosen and rejected messages, of mistakes only: DPO and similar methods
reranker     question, gold line, and hard negatives: other lines that rank high
selector     candidates and the right candidate, also for `goldevidencebench selector train`
gate         candidates and the class of each: update, note or unclear
abstain      candidates, and whether they establish an answer
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypedDict, cast

import evaluation
from evaluation.core import jsonl
from evaluation.core.errors import UnknownNameError
from evaluation.core.records import JsonObject
from evaluation.core.rng import Stream
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.mistakes.record import Judged, Mistake, records, right_record
from evaluation.goldevidence.mistakes.training import ABSTAIN, ANSWER, example
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.retrieval import Pool, get_retriever
from evaluation.gym.frozen import Frozen, refuse_held_out
from evaluation.gym.goldevidence import EpisodeOracle
from evaluation.gym.learners.base import key_of, lines_of, oracle_of
from evaluation.gym.learners.gate import class_of
from evaluation.gym.learners.retriever import question_of
from evaluation.gym.loop.mining import Mined

Line = JsonObject
MOST_NEGATIVES = 8


class Card(TypedDict):
    form: str
    columns: str
    lines: int
    left_out: int  # tasks with text of a frozen version
    sha256: str
    families: dict[str, int]
    levels: dict[str, list[float]]  # minimum and maximum of each dial in use
    mistakes: int
    right: int
    guarded_against: int  # lines of frozen versions that were excluded
    made_by: str
    licence: str


def chat(mined: Mined) -> Iterator[Line]:
    """The messages of the task, followed by the right reply."""
    right = {"role": "assistant", "content": mined.task.oracle.right}
    yield {"id": mined.task.id, "messages": [*mined.task.messages, right]}


def preferences(mined: Mined) -> Iterator[Line]:
    """The prompt, the right reply and the wrong reply of the system; one line for each mistake."""
    if mined.score.total or not isinstance(mined.reply, str):
        return
    chosen, rejected = (
        [{"role": "assistant", "content": text}] for text in (mined.task.oracle.right, mined.reply)
    )
    yield {"id": mined.task.id, "prompt": list(mined.task.messages), "chosen": chosen, "rejected": rejected}


def reranker(mined: Mined) -> Iterator[Line]:
    """The line that answers, and negatives: first other lines that were shown, then the best lines by BM25."""
    oracle = oracle_of(mined.task)
    if len(oracle.case.gold_ids) != 1 or not oracle.is_shown:
        return
    [gold], entries = oracle.case.gold_ids, oracle.lines.entries()
    by_id, question = {entry.uid: entry for entry in entries}, question_of(mined.task)
    told = mined.reply.get("shown_uids") if isinstance(mined.reply, Mapping) else None
    ranked = [*(told if isinstance(told, list) else []), *_by_bm25(entries, question)]
    negatives = [uid for uid in dict.fromkeys(ranked) if uid != gold and uid in by_id][:MOST_NEGATIVES]
    if not negatives or gold not in by_id:
        return
    yield {
        "id": mined.task.id,
        "query": question,
        "positive": by_id[gold].line(),
        "negatives": [by_id[uid].line() for uid in negatives],
        "positive_uid": gold,
        "negative_uids": negatives,
        "pool": [entry._asdict() for entry in entries],
    }


def _by_bm25(entries: list[Entry], question: str) -> list[str]:
    return [entry.uid for entry in Pool(entries).rank(get_retriever("bm25"), question, "")]


def selector(mined: Mined) -> Iterator[Line]:
    """The candidates and the uid of the right candidate, as `goldevidencebench selector train` reads them."""
    oracle = oracle_of(mined.task)
    judged = oracle.judged(mined.reply)
    made = None if judged is None else example(_record(oracle.row, judged))
    if made is not None:
        yield cast(
            Line, {**made, "id": mined.task.id, "candidates": _with_remarks(mined, made["candidates"])}
        )


def _record(row: EpisodeRow, judged: Judged) -> Mistake:
    return next(records(row, judged), None) or right_record(row, judged)


def _with_remarks(mined: Mined, candidates: Iterable[Mapping[str, object]]) -> list[Line]:
    remarks = {line["uid"]: {"remark": line["remark"]} for line in lines_of(mined.task) if "remark" in line}
    return [{**each, **remarks.get(cast(str, each["uid"]), {})} for each in candidates]


def gate(mined: Mined) -> Iterator[Line]:
    """The candidates and the class of each candidate: update, note or unclear."""
    yield {**_shown(mined), "labels": [class_of(line["op"]) for line in lines_of(mined.task)]}


def abstain(mined: Mined) -> Iterator[Line]:
    """The candidates, and whether they establish an answer."""
    yield {**_shown(mined), "label": ANSWER if oracle_of(mined.task).is_shown else ABSTAIN}


def _shown(mined: Mined) -> Line:
    task = mined.task
    return {"id": task.id, "question": question_of(task), "key": key_of(task), "candidates": lines_of(task)}


FORMS: dict[str, Callable[[Mined], Iterator[Line]]] = {
    form.__name__: form for form in (chat, preferences, reranker, selector, gate, abstain)
}
#: Forms about candidate lines, which only some tasks of GoldEvidenceBench have.
OF_CANDIDATES = frozenset({"selector", "gate", "abstain"})


def lines_of_form(form: str, mined: Mined) -> Iterator[Line]:
    """Yield the training line of a mined task, or nothing if the form does not apply. Raises UnknownNameError."""
    if form not in FORMS:
        raise UnknownNameError("form of training data", form, FORMS)
    if form not in ("chat", "preferences") and not isinstance(mined.task.oracle, EpisodeOracle):
        return
    if form in OF_CANDIDATES and not lines_of(mined.task):
        return
    yield from FORMS[form](mined)


def export(mined: Iterable[Mined], form: str, path: str | Path, frozen: Frozen) -> Card:
    """Write mined tasks as training data, and a data card beside the file (`.card.json`). Returns the card.

    Lines that contain `frozen` rows are left out. Raises FrozenError for a task of a held-out family, UnknownNameError
    for an unknown form.
    """
    tally, families, digest = Counter[str](), Counter[str](), hashlib.sha256()
    levels: dict[str, list[float]] = {}

    def lines() -> Iterator[Line]:
        for each in mined:
            refuse_held_out(each.task.family)
            for line in lines_of_form(form, each):
                if frozen.holds(line) or frozen.holds({"messages": each.task.messages}):
                    tally["left_out"] += 1
                    continue
                tally["lines"] += 1
                tally["right" if each.score.total else "mistakes"] += 1
                families[each.task.family] += 1
                for dial, value in each.task.level.as_dict().items():
                    ends = levels.setdefault(dial, [value, value])
                    ends[:] = [min(ends[0], value), max(ends[1], value)]
                digest.update(jsonl.dumps(line) + b"\n")
                yield line

    jsonl.write(path, lines())
    card: Card = {
        "form": form,
        "columns": (FORMS[form].__doc__ or "").strip(),
        "lines": tally["lines"],
        "left_out": tally["left_out"],
        "sha256": digest.hexdigest(),
        "families": dict(sorted(families.items())),
        "levels": {dial: ends for dial, ends in levels.items() if ends[1] > 0},
        "mistakes": tally["mistakes"],
        "right": tally["right"],
        "guarded_against": len(frozen),
        "made_by": f"goldevidencebench {evaluation.__version__}, evaluation.gym",
        "licence": "MIT, like the generators that made it",
    }
    with jsonl.fresh(card_path(path)) as out:
        out.write(jsonl.dumps(card) + b"\n")
    return card


def card_path(path: str | Path) -> Path:
    return Path(path).with_suffix(".card.json")


def read_examples(path: str | Path, frozen: Frozen) -> Iterator[Line]:
    """Yield the lines of a file of training data. Raises RowError, or FrozenError for a frozen or downloaded row."""
    for line in jsonl.read(path):
        frozen.refuse(line)
        yield line


def shuffled(lines: Iterable[Line], form: str, seed: int) -> list[Line]:
    """Randomly reassign the labels of training lines, as a control experiment."""
    drawn, changed = Stream("shuffled labels", form, seed), [dict(line) for line in lines]
    labels = [line.get("label") for line in changed]
    drawn.shuffle(labels)
    for line, label in zip(changed, labels, strict=True):
        match form:
            case "selector":
                line["correct_uid"] = drawn.choice(line["candidates"])["uid"]
            case "gate":
                line["labels"] = [drawn.choice(("update", "note", "unclear")) for _ in line["labels"]]
            case "abstain":
                line["label"] = label
            case _:
                uids = [line["positive_uid"], *line["negative_uids"]]
                drawn.shuffle(uids)
                line["positive_uid"], *line["negative_uids"] = uids
    return list(changed)
