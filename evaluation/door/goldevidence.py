"""Implementation of `door.Doorway` for GoldEvidenceBench."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from evaluation.core.errors import RowError
from evaluation.core.files.version_files import open_version_files
from evaluation.core.records import JsonObject
from evaluation.core.report import Report
from evaluation.goldevidence.adapters.episode_rows import handed
from evaluation.goldevidence.data.case import case_of
from evaluation.goldevidence.data.rubrics import Options
from evaluation.goldevidence.grading.grade import asked_citations, grade_rows
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.suite import SUITE
from evaluation.gym import goldevidence as prompts
from evaluation.gym.parts import Message, Reply


def takes(row: JsonObject) -> bool:
    return "question" in row


def questions(rows: Iterable[EpisodeRow]) -> Iterator[EpisodeRow]:
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get("id"), str) or not isinstance(row.get("question"), str):
            raise RowError("the row has no id or no question", line=number)
        yield row


def messages(question: EpisodeRow, prompt: str) -> list[Message]:
    return prompts.messages(handed(question), prompt)


def has_gold(question: EpisodeRow) -> bool:
    gold = cast(JsonObject, question).get("gold")
    return isinstance(gold, Mapping) and "value" in gold


def unit(question: EpisodeRow) -> str:
    return case_of(question).unit


def line(question: EpisodeRow, reply: Reply) -> JsonObject:
    return {"id": question["id"], **({"output": reply} if isinstance(reply, str) else reply)}


def grade(questions: Sequence[EpisodeRow], predictions: Path | Iterable[JsonObject]) -> tuple[Report, str]:
    options = Options()
    files = open_version_files(questions, predictions, form=options.rules.answer_form)
    report, _ = grade_rows(files, replace(options, max_support_k=asked_citations(files.first)))
    return report, SUITE.version({}).headline().name
