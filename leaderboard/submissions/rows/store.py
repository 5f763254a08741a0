"""Finds rows and labels of a version quickly, in local copies that are made at first use."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import IO, TypedDict, cast

from evaluation.core import jsonl
from evaluation.core.errors import FORM_FAULTS, BenchmarkError
from evaluation.core.files.documents import form
from evaluation.core.files.documents.form import Texts
from evaluation.core.plugin import Replay
from evaluation.core.records import Row, RowGold
from evaluation.frames.grouped_file import RowFile, write_by_id, write_row_file
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.storage import DamagedFileError
from leaderboard.submissions.verdicts import copies

#: Revision of the copies' format. Increase it when the same source gives different copies.
REVISION = 1
#: Rows in memory with their timelines; a row of a million tokens takes about 20 MB.
RECENT = 4
#: Versions whose labels are in memory; 100,000 rows take about 30 MB.
INDEXES = 4


def find(version: Version, row_id: str, *, answers: bool) -> Row | None:
    """Return a row, with the correct answer if `answers`, or None if missing. Raises storage.DamagedFileError."""
    row = _rows(version).find([row_id]).get(row_id)
    if row is None:
        return None
    if (name := form.document_named(cast(Mapping[str, object], row))) is not None:
        row = cast(Row, form.joined(cast(Mapping[str, object], row), _texts(version, name)))
    return (
        _with_answer(version, row, row_id)
        if answers
        else version.suite.public_row(row, labels=version.is_import)
    )


def has(version: Version, row_id: str) -> bool:
    """True if the version has a row with this id. Raises storage.DamagedFileError."""
    return row_id in _rows(version).columns(["id"])["id"]


class _Entry(TypedDict):
    question: str
    labels: dict[str, str]


def read(version: Version, row_id: str, *, answers: bool) -> tuple[Row, Replay | None] | None:
    """Return a row and its timeline, or None for an unknown id. `answers` adds the correct answer and state.

    The timeline is None if an imported row cannot be drawn as one. Raises storage.DamagedFileError.
    """
    return _read(version, version.rows_sha256, row_id, answers)


@lru_cache(maxsize=RECENT)
def _read(version: Version, rows_sha256: str, row_id: str, answers: bool) -> tuple[Row, Replay | None] | None:
    row = find(version, row_id, answers=answers)
    if row is None:
        return None
    try:
        return row, version.suite.replays.replay(row, row_id, state=answers)
    except (BenchmarkError, *FORM_FAULTS):
        return row, None


def _with_answer(version: Version, row: Row, row_id: str) -> Row:
    if version.public_gold:
        return row
    found = cast(RowGold | None, _answers(version).find([row_id]).get(row_id))
    return version.suite.replays.with_answer(row, found) if found else row


def _texts(version: Version, name: str) -> Texts:
    found = cast(Mapping[str, str] | None, _documents(version).find([name]).get(name))
    if found is None:
        raise DamagedFileError(f"the documents of {version} lack {name}, which a row names")
    return {field: text for field, text in found.items() if field not in ("id", "canary")}


def _copy(kind: str, sha256: str, fill: Callable[[IO[bytes]], None]) -> RowFile:
    name = hashlib.sha256(f"{kind}/{REVISION} {sha256}".encode()).hexdigest()
    path, footer = copies.copy_of(name) or copies.make(name, fill)
    return RowFile(path, footer=footer)


def _rows(version: Version) -> RowFile:
    def fill(raw: IO[bytes]) -> None:
        write_row_file(cast(Iterator[Row], storage.rows(version.rows_sha256)), version.suite, raw)

    return _copy("rows", version.rows_sha256, fill)


def _documents(version: Version) -> RowFile:
    def fill(raw: IO[bytes]) -> None:
        lines = ((jsonl.parse(line)["id"], line.decode()) for line in storage.lines(version.documents_sha256))
        write_by_id(lines, raw)

    return _copy("documents", version.documents_sha256, fill)


def _answers(version: Version) -> RowFile:
    """Open the correct answers by row id. Use this only for readers who may see the answers."""

    def fill(raw: IO[bytes]) -> None:
        records = storage.rows(version.gold_sha256)
        said = (pair for record in records for pair in version.suite.replays.answers(record))
        write_by_id(((row_id, jsonl.dumps(answer).decode()) for row_id, answer in said), raw)

    return _copy("answers", version.gold_sha256, fill)


@dataclass(frozen=True, slots=True)
class Index:
    """The questions of a version in file order, with their labels."""

    ids: Sequence[str]
    questions: Sequence[str]  # first lines
    labels: Sequence[Mapping[str, str]]
    place_of: Mapping[str, int]

    @property
    def names(self) -> list[str]:
        """The names of labels whose values differ between rows."""
        values: dict[str, set[str]] = {}
        for labels in self.labels:
            for name, label in labels.items():
                values.setdefault(name, set()).add(label)
        missing = {name for name in values if any(name not in labels for labels in self.labels)}
        return [name for name, found in values.items() if len(found) + (name in missing) > 1]


def index_of(version: Version, *, answers: bool) -> Index:
    """Return the rows' ids and labels; `answers` adds labels that reveal answers. Raises storage.DamagedFileError."""
    return _index(version.pk, version.rows_sha256, version.gold_sha256 if answers else "")


@lru_cache(maxsize=INDEXES)
def _index(pk: int, rows_sha256: str, gold_sha256: str) -> Index:
    version = Version.objects.select_related("benchmark").get(pk=pk)

    def fill(raw: IO[bytes]) -> None:
        write_by_id(_index_lines(version, answers=bool(gold_sha256)), raw)

    file = _copy("index", f"{rows_sha256} {gold_sha256}", fill)
    ids = file.columns(["id"])["id"]
    entries: list[_Entry] = file.json_at("row", range(len(ids)))
    known: dict[
        tuple[tuple[str, str], ...], Mapping[str, str]
    ] = {}  # few distinct ones: share them in memory
    labels = [known.setdefault(tuple(entry["labels"].items()), entry["labels"]) for entry in entries]
    place_of = {row_id: place for place, row_id in enumerate(ids)}
    return Index(ids, [entry["question"] for entry in entries], labels, place_of)


def _index_lines(version: Version, *, answers: bool) -> Iterator[tuple[str, str]]:
    suite = version.suite
    said = dict[str, RowGold]()
    if answers and not version.public_gold:
        for record in storage.rows(version.gold_sha256):
            said.update((row_id, _without_ledger(answer)) for row_id, answer in suite.replays.answers(record))
    for row in cast(Iterator[Row], storage.rows(version.rows_sha256)):
        public = row if answers else suite.public_row(row, labels=version.is_import)
        for preview in suite.row_previews(row):
            answer = said.get(preview.id)
            labels = suite.replays.row_labels(suite.replays.with_answer(public, answer) if answer else public)
            entry: _Entry = {"question": preview.question.partition("\n")[0], "labels": dict(labels)}
            yield preview.id, jsonl.dumps(entry).decode()


def _without_ledger(answer: RowGold) -> RowGold:
    # All answers are in memory at once, and the ledger is the longest part.
    fields: Mapping[str, object] = answer
    gold = fields.get("gold")
    return cast(RowGold, {**fields, "gold": {**gold, "ledger": ""}}) if isinstance(gold, dict) else answer
