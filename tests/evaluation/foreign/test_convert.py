"""Files of other tools as predictions: the answer to each row, and the number of unusable lines."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError, MissingExtraError
from evaluation.foreign import convert, open_foreign

NAMES = (
    "id error status_code body choices message content finish_reason output usage total_tokens type text "
    "incomplete_details reason stop_reason refusal completion epoch doc"
).split()
RIGHT = '{"value": "amber", "support_ids": ["U1"]}'


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = [{"id": name, "question": "?"} for name in ("r1", "r2", "r3")]
    rows.append({"id": "t", "initial_state": {}, "events": [{"type": "query"}, {"type": "query"}]})  # type: ignore[dict-item]
    path = tmp_path / "rows.jsonl"
    jsonl.write(path, rows)
    return path


@pytest.fixture
def converted(tmp_path: Path, data: Path) -> Any:
    """Convert a file of these lines."""

    def made(lines: list[Mapping[str, object]], name: str = "file.jsonl") -> Any:
        jsonl.write(tmp_path / name, lines)
        return convert(tmp_path / name, data)

    return made


def openai(id: str, text: str | None, stop: str = "stop", **more: object) -> dict[str, object]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": stop}
    body = {"model": "gpt-x", "choices": [choice], "usage": {"total_tokens": 100}}
    return {"custom_id": id, "response": {"status_code": 200, "body": body}, "error": None, **more}


def test_a_batch_of_chats(converted: Any) -> None:
    made = converted(
        [
            openai("r1", RIGHT),
            openai("r2", None, "length"),
            openai("r3", "", error={"code": "expired"}),
            openai("t#1", "Yes."),
            openai("nowhere", "x"),
            openai("r1", "again"),
        ]
    )
    assert (made.tool, made.model, made.missing) == ("a batch of OpenAI's API", "gpt-x", 1)
    assert made.lines == [
        {"id": "r1", "output": RIGHT},
        {"id": "r2", "state": "cut_off"},
        {"id": "r3", "state": "error"},
        {"timeline_id": "t", "query_idx": 1, "response": "Yes.", "tokens_used": 100},
    ]
    assert made.left_out == {"for rows that the version does not have": 1, "for a row answered before": 1}


def test_a_batch_of_the_responses_api(converted: Any) -> None:
    message = {"type": "message", "content": [{"type": "output_text", "text": RIGHT}]}
    body = {
        "model": "m",
        "output": [{"type": "reasoning", "summary": []}, message],
        "usage": {"total_tokens": 7},
    }
    cut = {"model": "m", "output": [], "incomplete_details": {"reason": "max_output_tokens"}}
    made = converted(
        [
            {"custom_id": "r1", "response": {"status_code": 200, "body": body}},
            {"custom_id": "r2", "response": {"status_code": 200, "body": cut}},
        ]
    )
    assert made.lines == [{"id": "r1", "output": RIGHT}, {"id": "r2", "state": "cut_off"}]
    assert made.tokens_per_query is None  # the second says nothing of them


def test_a_batch_of_messages(converted: Any) -> None:
    content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": RIGHT}]
    message = {
        "model": "c",
        "content": content,
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }
    refused = {
        "model": "c",
        "content": [],
        "stop_reason": "refusal",
        "usage": {"input_tokens": 5, "output_tokens": 0},
    }
    made = converted(
        [
            {"custom_id": "r1", "result": {"type": "succeeded", "message": message}},
            {"custom_id": "r2", "result": {"type": "succeeded", "message": refused}},
            {"custom_id": "r3", "result": {"type": "errored", "error": {}}},
        ]
    )
    assert made.lines == [
        {"id": "r1", "output": RIGHT},
        {"id": "r2", "state": "refused"},
        {"id": "r3", "state": "error"},
    ]
    assert made.model == "c"


def test_samples_of_lm_eval(converted: Any) -> None:
    sample = {"doc_id": 0, "doc": {"id": "r1"}, "resps": [[RIGHT]], "filtered_resps": ["amber"], "target": ""}
    made = converted(
        [sample, sample | {"doc": {"id": "r2"}, "resps": [[[-1.5, False]]]}, sample | {"doc": {}}],
        "samples_x.jsonl",
    )
    assert made.lines == [{"id": "r1", "output": RIGHT}, {"id": "r2", "state": "empty"}]
    assert made.left_out == {"without a row id": 1}


def test_a_log_of_inspect(data: Path, tmp_path: Path) -> None:
    def sample(id: str, text: str, stop: str = "stop", **more: object) -> dict[str, object]:
        choice = {
            "message": {"role": "assistant", "content": [{"type": "text", "text": text}]},
            "stop_reason": stop,
        }
        return {"id": id, "epoch": 1, "output": {"choices": [choice], "usage": {"total_tokens": 40}}, **more}

    samples = [sample("r1", RIGHT), sample("r2", "", "max_tokens"), sample("r3", "", error={"message": "x"})]
    samples.append(sample("r1", "second", epoch=2))
    log = {
        "version": 2,
        "status": "success",
        "eval": {"model": "openai/gpt-x", "model_generate_config": {"temperature": None}},
        "plan": {"config": {"max_tokens": 64, "temperature": 0.0}},
        "samples": samples,
    }
    (tmp_path / "log.json").write_text(json.dumps(log, indent=2))
    made = convert(tmp_path / "log.json", data)
    assert (made.tool, made.model) == ("a log of Inspect", "openai/gpt-x")
    assert made.settings == {"max_tokens": 64, "temperature": 0.0}
    assert made.lines == [
        {"id": "r1", "output": RIGHT},
        {"id": "r2", "state": "cut_off"},
        {"id": "r3", "state": "error"},
    ]
    assert made.left_out.total() == 1


def test_tables_with_replies_or_with_columns_of_an_answer(data: Path, tmp_path: Path) -> None:
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("id", "output", "tokens"), ("r1", RIGHT, "10"), ("r2", "", "30")])
    made = convert(tmp_path / "a.csv", data)
    assert made.lines == [{"id": "r1", "output": RIGHT}, {"id": "r2", "state": "empty"}]
    assert made.tokens_per_query == 20
    pd.DataFrame({"id": ["r1", "r2"], "value": ["amber", None], "support_ids": [["U1"], []]}).to_parquet(
        tmp_path / "a.parquet"
    )
    assert convert(tmp_path / "a.parquet", data).lines == [
        {"id": "r1", "value": "amber", "support_ids": ["U1"]},
        {"id": "r2", "value": None, "support_ids": []},
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 999) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    "fields",
    [("custom_id", "response"), ("custom_id", "result"), ("doc_id", "resps"), ("id", "epoch", "output")],
)
@given(values=st.lists(JSON, min_size=4, max_size=4))
def test_a_line_of_another_form_is_no_fault(fields: tuple[str, ...], values: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file.jsonl")
        jsonl.write(path, [dict(zip((*fields, "doc"), values, strict=False))])
        found = open_foreign(path)
        assert found is not None
        assert len(list(found.replies)) == 1


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.jsonl", '{"id": "r1", "value": "x"}\n', "submit them as they are"),
        ("a.csv", "id,score\nr1,1\n", "neither a column `value` nor one of output"),
        ("results.json", '{"results": {}, "versions": {}}', "--log_samples"),
        ("a.jsonl", json.dumps(openai("elsewhere", "x")) + "\n", "answers none of the rows"),
    ],
)
def test_a_file_without_replies_is_said_in_words(
    data: Path, tmp_path: Path, name: str, text: str, said: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BenchmarkError, match=said):
        convert(tmp_path / name, data)


def test_a_binary_log_names_the_library_that_reads_it(data: Path, tmp_path: Path) -> None:
    (tmp_path / "a.eval").write_bytes(b"PK\x05\x06" + bytes(18))
    with pytest.raises(MissingExtraError, match="inspect"):
        convert(tmp_path / "a.eval", data)
