"""Recognise the tool that wrote a file, and read its replies."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.adapters.servers import answers
from evaluation.adapters.servers.failures import Failure
from evaluation.core import jsonl
from evaluation.core.errors import FORM_FAULTS, BenchmarkError, MissingExtraError
from evaluation.core.row_states import RowState

Object = Mapping[str, Any]
#: First bytes of a Parquet file, and of a binary log of Inspect.
PARQUET, ZIP = b"PAR1", b"PK\x03\x04"
#: The fields of a sample of Inspect that are read.
SAMPLE = {"id", "epoch", "output", "error"}
#: Columns of a table, or fields of a line, with the complete reply.
TEXTS = ("output", "response", "completion", "prediction", "answer", "text", "reply")


class Reply(NamedTuple):
    """A model's reply to a row: a text, or fields of a predictions line. `state` says why there is no answer."""

    id: str
    text: str | None = None
    fields: Mapping[str, object] = {}
    state: RowState | None = None
    tokens: float | None = None


@dataclass
class Foreign:
    """A file of another tool: its replies, which can be iterated once, and the model and settings that it names."""

    tool: str
    replies: Iterator[Reply]
    model: str = ""
    settings: dict[str, object] = field(default_factory=dict)


def open_foreign(path: str | Path) -> Foreign | None:
    """Open a file of another tool. Returns None if the tool is unknown. Raises BenchmarkError or MissingExtraError."""
    path = Path(path)
    with jsonl.open_binary(path) as file:
        start = file.read(1 << 16).removeprefix(jsonl.BOM).lstrip()
    if path.suffix == ".eval" or start.startswith(ZIP):
        return _inspect_archive(path)
    if start.startswith(PARQUET) or _has_ids(start):
        return _table(path)
    if start.startswith((b"{\n", b"{\r\n", b"{ \n")) or path.suffix == ".json":
        with jsonl.open_binary(path) as file:
            data = jsonl.loads(file.read())
        return _whole(path, data) if isinstance(data, dict) else None
    first = next(jsonl.read(path), {}) if start.startswith(b"{") else {}
    return _whole(path, first) or _lines(path, first)


def _has_ids(start: bytes) -> bool:
    head = start.splitlines()[0].decode("utf-8", "replace") if start else ""
    return not head.startswith(("{", "[")) and "id" in next(csv.reader([head]), [])


def _whole(path: Path, data: Object) -> Foreign | None:
    if {"status", "eval", "samples"} <= data.keys():
        return _inspect(data["eval"], data.get("plan"), data["samples"] or ())
    if {"results", "versions"} <= data.keys():
        raise BenchmarkError(
            f"{path} has scores of lm-evaluation-harness but no replies: run it with --log_samples, and convert "
            "samples_*.jsonl"
        )
    return None


def _lines(path: Path, first: Object) -> Foreign | None:
    of_line: Mapping[str, tuple[str, Callable[[Object], Reply]]] = {
        "doc_id resps": ("samples of lm-evaluation-harness", _lm_eval_reply),
        "custom_id response": ("a batch of OpenAI's API", _openai_reply),
        "custom_id result": ("a batch of Anthropic's API", _anthropic_reply),
        "id epoch output": ("samples of Inspect", _inspect_reply),
    }
    for names, (tool, read) in of_line.items():
        if all(name in first for name in names.split()):
            return Foreign(tool, _replies(read, jsonl.read(path)), _model_of(first))
    return None


def _replies(read: Callable[[Object], Reply], lines: Iterable[Object]) -> Iterator[Reply]:
    """Read each line. A malformed line gives a reply without id, which is counted and left out."""
    for line in lines:
        try:
            yield read(line)
        except FORM_FAULTS:
            yield Reply("")


def _model_of(line: Object) -> str:
    body = _at(line, "response", "body") or _at(line, "result", "message") or line.get("output") or {}
    return str(body.get("model") or "") if isinstance(body, Mapping) else ""


def _openai_reply(line: Object) -> Reply:
    """Read a line of a batch of the chat, completions or responses API."""
    id, body = str(line["custom_id"]), _at(line, "response", "body") or {}
    tokens = _at(body, "usage", "total_tokens")
    if line.get("error") or _at(line, "response", "status_code") not in (200, None):
        return Reply(id, state=RowState.ERROR)
    if "output" not in body:
        return _reply(id, body, tokens)
    parts = [part for item in body["output"] for part in item.get("content") or ()]
    cut = _at(body, "incomplete_details", "reason") == "max_output_tokens"
    return _reply(id, _chat(parts, "length" if cut else _at(body, "incomplete_details", "reason")), tokens)


def _anthropic_reply(line: Object) -> Reply:
    id, message = str(line["custom_id"]), _at(line, "result", "message")
    if _at(line, "result", "type") != "succeeded":
        return Reply(id, state=RowState.ERROR)
    used = message.get("usage") or {}
    tokens = sum(used.get(name) or 0 for name in ("input_tokens", "output_tokens")) or None
    return _reply(id, _chat(message.get("content"), message.get("stop_reason")), tokens)


def _lm_eval_reply(line: Object) -> Reply:
    """Read the row id from `doc`, and the first generated response, before the harness filters it."""
    reply = line["resps"]
    while isinstance(reply, list) and reply:
        reply = reply[0]
    id = _at(line, "doc", "id") or _at(line, "doc", "row_id") or ""
    return _reply(str(id), _chat(reply if isinstance(reply, str) else ""))


def _inspect(about: Object, plan: Object | None, samples: Any) -> Foreign:
    settings = dict(about.get("model_generate_config") or {}) | dict((plan or {}).get("config") or {})
    given = {name: value for name, value in settings.items() if value is not None}
    return Foreign(
        "a log of Inspect", _replies(_inspect_reply, samples), str(about.get("model") or ""), given
    )


def _inspect_reply(sample: Object) -> Reply:
    """Read a sample of the first epoch; later epochs get no id, so that they are counted and left out."""
    id, output = str(sample["id"]), sample.get("output") or {}
    if (sample.get("epoch") or 1) > 1:
        return Reply("", fields={"epoch": sample["epoch"]})
    if sample.get("error") or output.get("error"):
        return Reply(id, state=RowState.ERROR)
    choice: Object = next(iter(output.get("choices") or ()), {})
    text = output.get("completion") or _at(choice, "message", "content")
    return _reply(id, _chat(text, choice.get("stop_reason")), _at(output, "usage", "total_tokens"))


def _inspect_archive(path: Path) -> Foreign:
    header = _inspect_reader().read_eval_log(str(path), header_only=True)
    plan = header.plan.model_dump() if header.plan else None
    return _inspect(header.eval.model_dump(), plan, samples_of(path))


def samples_of(path: Path) -> Iterator[Object]:
    """The samples of a binary log of Inspect. Raises MissingExtraError."""
    found = _inspect_reader().read_eval_log_samples(str(path), all_samples_required=False)
    return (sample.model_dump(mode="json", include=SAMPLE) for sample in found)


def _inspect_reader() -> Any:
    """Import Inspect's own reader, as the format of binary logs (Zstandard in a zip) may change."""
    try:
        import inspect_ai.log as reader
    except ImportError as error:
        raise MissingExtraError(
            "A binary log of Inspect (unless converted by `inspect log convert --to json`)",
            "inspect",
            ["inspect_ai"],
        ) from error
    return reader


def _table(path: Path) -> Foreign | None:
    """Read a table with columns `id` and one of `TEXTS` (replies), or `id`, `value` and `support_ids` (answers)."""
    rows = _rows_of(path)
    if not rows or "id" not in rows[0]:
        return None
    text = next((name for name in TEXTS if name in rows[0]), "")
    if not text and "value" not in rows[0]:
        raise BenchmarkError(f"{path} has neither a column `value` nor one of {', '.join(TEXTS)}")
    return Foreign("a table", (_table_reply(row, text) for row in rows))


def _rows_of(path: Path) -> list[dict[str, Any]]:
    with jsonl.open_binary(path) as file:
        if file.peek(4)[:4] != PARQUET:
            text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
            return [{name: value or None for name, value in row.items()} for row in csv.DictReader(text)]
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise MissingExtraError("Parquet", "frames", ["pyarrow"]) from error
    rows: list[dict[str, Any]] = parquet.read_table(path, use_threads=False).to_pylist()
    return rows


def _table_reply(row: Object, text: str) -> Reply:
    tokens = row.get("tokens")
    used = float(tokens) if tokens not in (None, "") else None
    if text:
        return _reply(str(row["id"]), _chat(str(row[text] or "")), used)
    cited = row.get("support_ids")
    ids = cited.replace(",", " ").split() if isinstance(cited, str) else [] if cited is None else list(cited)
    return Reply(str(row["id"]), fields={"value": row["value"], "support_ids": ids}, tokens=used)


def _chat(content: Any, stop: Any = None) -> Object:
    return {"choices": [{"message": {"content": content}, "finish_reason": stop}]}


def _reply(id: str, completion: Object, tokens: float | None = None) -> Reply:
    try:
        text, trouble = answers.text_in(completion, "chat")
    except Failure:
        return Reply(id, state=RowState.ERROR, tokens=tokens)
    if text.strip():  # a reply that was cut may still contain its answer: the grader decides
        return Reply(id, text, tokens=tokens)
    return Reply(id, state=trouble or RowState.EMPTY, tokens=tokens)


def _at(data: Any, *names: str) -> Any:
    for name in names:
        data = data.get(name) if isinstance(data, Mapping) else None
    return data
