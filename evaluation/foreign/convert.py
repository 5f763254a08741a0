"""Convert the replies of another tool into lines of a predictions file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.core.errors import BenchmarkError
from evaluation.core.files import flat
from evaluation.core.records import JsonObject
from evaluation.core.suite import Suite
from evaluation.core.terminal.wording import number_of
from evaluation.foreign.reading import Foreign, Reply, open_foreign

QUERY = "#"  # between a timeline's id and the index of its query


@dataclass
class Converted:
    """Converted predictions, and counts of unusable replies. `model` and `settings` are read from the file."""

    tool: str
    model: str
    settings: Mapping[str, object]
    lines: list[JsonObject] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    missing: int = 0
    tokens_per_query: float | None = None

    @property
    def sentence(self) -> str:
        """Summary for the sender: "Read as samples of lm-evaluation-harness: 90 answers used, 2 without a row id."."""
        model = f" ({self.model})" if self.model else ""
        left_out = "".join(f", {count:,} {why}" for why, count in self.left_out.items())
        return f"Read as {self.tool}{model}: {number_of(len(self.lines), 'answer')} used{left_out}."


def convert(path: str | Path, data: str | Path, documents: str | Path = "") -> Converted:
    """Convert a file of another tool to predictions for the rows of `data` (with or without gold).

    Reads logs of Inspect, samples of lm-evaluation-harness, outputs of batches, CSV and Parquet. Raises BenchmarkError
    if the file is none of these or answers none of the rows, MissingExtraError if a library is missing.
    """
    foreign = open_foreign(path)
    if foreign is None:
        raise BenchmarkError(
            f"{path} is neither a log of Inspect, samples of lm-evaluation-harness, the output of a batch nor a "
            "table with a column `id`. Predictions need no conversion: submit them as they are."
        )
    converted = _matched(foreign, dict(_heads(row for _, row in flat.read(data, documents))))
    if not converted.lines:
        reasons = ", ".join(f"{count:,} {why}" for why, count in converted.left_out.items())
        raise BenchmarkError(f"{path} answers none of the rows of {data} ({reasons or 'no replies'})")
    return converted


def convert_for(path: str | Path, ids: Iterable[str], suite: Suite) -> Converted | None:
    """Like `convert`, for rows with these ids. Returns None for a file of an unknown tool. Raises BenchmarkError."""
    foreign = open_foreign(path)
    return None if foreign is None else _matched(foreign, {id: _head(id, suite) for id in ids})


def _head(id: str, suite: Suite) -> JsonObject:
    if len(suite.fields.ids) < 2:
        return {"id": id}
    timeline, _, number = id.rpartition(QUERY)
    return dict(zip(suite.fields.ids, (timeline, int(number)), strict=True))


def _matched(foreign: Foreign, wanted: Mapping[str, JsonObject]) -> Converted:
    converted, answered = Converted(foreign.tool, foreign.model, foreign.settings), set[str]()
    tokens: list[float | None] = []
    for reply in foreign.replies:
        if not reply.id:
            converted.left_out["of a later epoch" if reply.fields else "without a row id"] += 1
        elif reply.id not in wanted:
            converted.left_out["for rows that the version does not have"] += 1
        elif reply.id in answered:
            converted.left_out["for a row answered before"] += 1
        else:
            answered.add(reply.id)
            converted.lines.append(_line(reply, wanted[reply.id]))
            tokens.append(reply.tokens)
    converted.missing = len(wanted) - len(answered)
    known = [each for each in tokens if each is not None]
    if known and len(known) == len(tokens):
        converted.tokens_per_query = sum(known) / len(known)
    return converted


def _line(reply: Reply, head: JsonObject) -> JsonObject:
    said = {"state": reply.state.value} if reply.state else reply.fields
    if "id" in head:
        return {**head, **({} if reply.text is None else {"output": reply.text}), **said}
    used = {} if reply.tokens is None else {"tokens_used": reply.tokens}
    return {**head, "response": reply.text or "", **said, **used}


def _heads(rows: Iterable[JsonObject]) -> Iterator[tuple[str, JsonObject]]:
    for row in rows:
        if "question" in row:
            yield str(row["id"]), {"id": row["id"]}
            continue
        queries = sum(event.get("type") == "query" for event in row.get("events") or ())
        for number in range(queries):
            yield f"{row['id']}{QUERY}{number}", {"timeline_id": row["id"], "query_idx": number}
