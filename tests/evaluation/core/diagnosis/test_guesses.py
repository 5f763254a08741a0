"""Guesses at what a refused file is, for files as other tools write them."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import pickle
import struct
import tarfile
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation import goldevidence
from evaluation.core import validation
from evaluation.core.diagnosis import forms
from evaluation.core.suite import ExpectedRows
from evaluation.goldevidence.suite import SUITE
from evaluation.statebench.suite import SUITE as STATEBENCH

ROWS = [
    {"id": f"E0001-Q{number:03d}", "value": f"amber-{number}", "support_ids": ["U000001"]}
    for number in range(1, 31)
]
EXPECTED = ExpectedRows({row["id"]: "closed_book" for row in ROWS}, citations=3)
TURNS = [{"timeline_id": "S1", "query_idx": number, "response": f"answer {number}"} for number in range(30)]
TIMELINES = ExpectedRows({f"S1#{number}": "causality" for number in range(30)})


def jsonl(rows: list[dict], ending: str = "\n") -> bytes:
    return "".join(json.dumps(row) + ending for row in rows).encode()


@pytest.fixture
def check(tmp_path) -> Callable[..., validation.Intake]:
    def checked(content: bytes, suite=SUITE, expected=EXPECTED) -> validation.Intake:
        path = tmp_path / "preds.jsonl"
        path.write_bytes(content)
        return validation.check(path, suite, expected)

    return checked


def table(delimiter: str) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, ROWS[0], delimiter=delimiter)
    writer.writeheader()
    writer.writerows(ROWS)
    return text.getvalue().encode()


def parquet() -> bytes:
    import pandas as pd

    packed = io.BytesIO()
    pd.DataFrame(ROWS).to_parquet(packed)
    return packed.getvalue()


def zipped(*names: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names or ["preds.jsonl"]:
            archive.writestr(name, jsonl(ROWS))
    return packed.getvalue()


def tarred() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo("preds.jsonl")
        entry.size = len(jsonl(ROWS))
        archive.addfile(entry, io.BytesIO(jsonl(ROWS)))
    return packed.getvalue()


def numpy(*, archive: bool) -> bytes:
    import numpy as np

    packed = io.BytesIO()
    if archive:
        np.savez(packed, answers=np.arange(9))
    else:
        np.save(packed, np.arange(9))
    return packed.getvalue()


def safetensors() -> bytes:
    header = json.dumps({"weight": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    return struct.pack("<Q", len(header)) + header + b"\0" * 8


PLAIN = jsonl(ROWS)
HTML = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body></body></html>\n"
OTHER_FORMS = {
    "CSV": (table(","), "csv", "a CSV table ('id', 'value', 'support_ids')"),
    "CSV with a byte order mark": (b"\xef\xbb\xbf" + table(","), "csv", "a CSV table"),
    "CSV with semicolons": (table(";"), "csv", "semicolons"),
    "TSV": (table("\t"), "tsv", "a TSV table"),
    "a packed CSV": (gzip.compress(table(",")), "csv", "a CSV table"),
    "UTF-16 with a mark": (PLAIN.decode().encode("utf-16"), "utf16", "UTF-16"),
    "UTF-16 little endian without a mark": (PLAIN.decode().encode("utf-16-le"), "utf16", "UTF-16"),
    "UTF-16 big endian without a mark": (PLAIN.decode().encode("utf-16-be"), "utf16", "UTF-16"),
    "UTF-32": (PLAIN.decode().encode("utf-32"), "utf16", "UTF-32"),
    "a list": (json.dumps(ROWS).encode(), "json_list", "jq -c '.[]'"),
    "a list over lines": (json.dumps(ROWS, indent=1).encode(), "json_list", "one JSON list"),
    "one object with a list": (json.dumps({"predictions": ROWS}).encode(), "json_object", "in 'predictions'"),
    "one object by id": (json.dumps({row["id"]: row for row in ROWS}).encode(), "json_object", "under each id"),
    "one object over lines": (json.dumps({"predictions": ROWS}, indent=2).encode(), "json_object", "several lines"),
    "objects over lines": (
        "\n".join(json.dumps(row, indent=2) for row in ROWS).encode(), "json_object", "several lines"
    ),
    "objects without a break": (b"".join(json.dumps(row).encode() for row in ROWS), "joined_lines", "line break"),
    "printed dictionaries": ("\n".join(map(str, ROWS)).encode(), "python_text", "single quotes"),
    "Parquet": (parquet(), "parquet", "a Parquet table"),
    "ZIP": (zipped(), "zip", "a ZIP archive ('preds.jsonl')"),
    "an empty ZIP": (zipped()[-22:-22] + b"PK\x05\x06" + b"\0" * 18, "zip", "a ZIP archive"),
    "a workbook": (zipped("[Content_Types].xml", "xl/workbook.xml"), "spreadsheet", "an Excel workbook"),
    "an Office document": (zipped("[Content_Types].xml", "word/document.xml"), "document", "a Word document"),
    "an old workbook": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "spreadsheet", "an old Office file"),
    "an OpenDocument": (zipped("mimetype", "content.xml"), "spreadsheet", "an OpenDocument file"),
    "weights of PyTorch": (zipped("archive/data.pkl", "archive/data/0"), "weights", "weights of PyTorch"),
    "a log of inspect_ai": (
        zipped("_journal/start.json", "samples/1_epoch_1.json", "header.json"), "inspect_log", "inspect_ai (.eval)"
    ),
    "arrays of NumPy": (numpy(archive=True), "numpy", "arrays of NumPy (.npz)"),
    "an array of NumPy": (numpy(archive=False), "numpy", "an array of NumPy (.npy)"),
    "tar": (tarred(), "tar", "a tar archive ('preds.jsonl')"),
    "tar with gzip": (gzip.compress(tarred()), "tar", "a tar archive"),
    "tar with bzip2": (bz2.compress(tarred()), "bzip2", "packed with bzip2"),
    "7z": (b"7z\xbc\xaf\x27\x1c\0\x04" + b"\1" * 60, "7z", "a 7z archive"),
    "RAR": (b"Rar!\x1a\x07\x01\0" + b"\1" * 60, "rar", "a RAR archive"),
    "LZ4": (b"\x04\x22\x4d\x18" + b"\1" * 60, "lz4", "packed with LZ4"),
    "safetensors": (safetensors(), "weights", "weights of a model (safetensors)"),
    "GGUF": (b"GGUF\x03\0\0\0" + b"\0" * 60, "weights", "weights of a model (GGUF)"),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + b"\0" * 60, "hdf5", "an HDF5 file"),
    "Avro": (b"Obj\x01\x04" + b"\1" * 60, "avro", "an Avro file"),
    "DuckDB": (b"\1" * 8 + b"DUCK" + b"\0" * 60, "duckdb", "a DuckDB database"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + b"\0" * 60, "picture", "a picture"),
    "gzip twice": (gzip.compress(gzip.compress(PLAIN)), "gzip_in_gzip", "inside a gzip"),
    "bzip2": (bz2.compress(PLAIN), "bzip2", "packed with bzip2"),
    "xz": (lzma.compress(PLAIN), "xz", "packed with xz"),
    "pickle": (pickle.dumps(ROWS), "pickle", "Python pickle"),
    "a page": (HTML, "html", "a web page"),
}  # fmt: skip


TOOLS = {
    "samples of lm-evaluation-harness": (
        {"doc_id": 0, "doc": {"id": "x"}, "target": "a", "arguments": {}, "resps": [["a"]], "filtered_resps": ["a"]},
        "lm_eval_samples", "goldevidencebench convert",
    ),
    "samples of inspect_ai": (
        {"id": "x", "epoch": 1, "input": "?", "target": "a", "messages": [], "output": {"completion": "a"}},
        "inspect_samples", "goldevidencebench convert",
    ),
    "output of OpenAI's batches": (
        {"id": "batch_req_1", "custom_id": "x", "response": {"status_code": 200, "body": {}}, "error": None},
        "batch_output", "goldevidencebench convert",
    ),
    "output of Anthropic's batches": (
        {"custom_id": "x", "result": {"type": "succeeded", "message": {}}}, "batch_output", "goldevidencebench convert",
    ),
    "requests of a batch": (
        {"custom_id": "x", "method": "POST", "url": "/v1/chat/completions", "body": {}}, "batch_input", "the requests",
    ),
    "lines of promptfoo": (
        {"promptIdx": 0, "testIdx": 0, "vars": {}, "response": {"output": "a"}, "success": True}, "promptfoo", "output",
    ),
    "events of OpenAI's evals": (
        {"run_id": "1", "event_id": 0, "sample_id": "x", "type": "match", "data": {}}, "openai_evals", "'data'",
    ),
    "conversations": ({"messages": [{"role": "user", "content": "?"}]}, "chat", "conversations"),
    "transcripts of ours": (
        {"id": "x", "state": "answered", "prompt_sha256": "0", "reply": "a"}, "own_transcripts", "transcripts of a run",
    ),
}  # fmt: skip


@pytest.mark.parametrize("suite", [SUITE, STATEBENCH], ids=["goldevidence", "statebench"])
@pytest.mark.parametrize("name", TOOLS)
def test_lines_of_another_tool_are_called_by_it(check, name: str, suite) -> None:
    line, code, words = TOOLS[name]
    checked = check(jsonl([line] * 30), suite, EXPECTED if suite is SUITE else TIMELINES)
    assert not checked.ok
    assert checked.guess is not None
    assert checked.guess.code == code
    assert words in checked.guess.message


LONG = ["x" * 99] * 999
DOCUMENTS = {
    "results of lm-evaluation-harness": (
        {"results": {"t": {"acc,none": 1}}, "configs": {}, "versions": {}, "n-shot": {}}, "lm_eval_results",
    ),
    "a log of inspect_ai": (
        {"version": 2, "status": "success", "eval": {}, "plan": {}, "samples": LONG}, "inspect_log",
    ),
    "a run of HELM": ({"adapter_spec": {}, "request_states": [{"instance": {}}, *LONG]}, "helm"),
    "predictions of HELM": ([{"instance_id": "id1", "predicted_text": "a", "stats": {}}], "helm"),
    "statistics of HELM": ([{"name": {"name": "em"}, "count": 1, "sum": 1, "sum_squared": 1}], "helm"),
    "results of promptfoo": ({"evalId": "e", "results": {"version": 3, "results": LONG}, "config": {}}, "promptfoo"),
    "a report of StateBench": (
        {"baseline": "b", "model": "m", "overall_sfrr": 0.1, "tracks": {"causality": {}}}, "statebench_results",
    ),
    "repeats of StateBench": (
        {"baseline": "b", "model": "m", "n_runs": 3, "aggregate": {}, "tracks": {}, "per_run": [{}]},
        "statebench_results",
    ),
    "a submission of StateBench": (
        {"protocol_version": "1.0", "benchmark": {}, "system": {}, "results": {}, "per_seed_results": [{}]},
        "statebench_results",
    ),
    "a report of ours": ({"settings": {}, "metrics": {}, "intervals": {}, "groups": {}, "rows": [{}]}, "own_results"),
    "a report of our states": ({"rubric": "strict", "metrics": {}, "tracks": {}, "queries": [{}]}, "own_results"),
    "a notebook": ({"cells": [{}], "metadata": {}, "nbformat": 4}, "notebook"),
}  # fmt: skip


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_of_another_tool_is_called_by_it(check, name: str, indent: int | None) -> None:
    document, code = DOCUMENTS[name]
    checked = check(json.dumps(document, indent=indent).encode())
    assert not checked.ok
    assert checked.guess is not None
    assert checked.guess.code == code


def test_rows_with_their_gold_are_called_rows(check) -> None:
    rows = list(goldevidence.generate({"episodes": 1, "steps": 20, "queries": 2, "keys": 2, "chapters": 1}))
    checked = check(jsonl(rows), SUITE, ExpectedRows({row["id"]: "closed_book" for row in rows}))
    assert checked.guess is not None
    assert checked.guess.code == "rows_not_answers"


@pytest.mark.parametrize("name", OTHER_FORMS)
def test_a_file_of_another_form_is_called_by_it(check, name: str) -> None:
    content, code, words = OTHER_FORMS[name]
    checked = check(content)
    assert not checked.ok
    assert checked.guess is not None
    assert checked.guess.code == code
    assert words in checked.guess.message


@pytest.mark.parametrize(
    "content",
    [
        PLAIN,
        jsonl(ROWS, "\r\n"),
        b"\xef\xbb\xbf" + PLAIN,
        gzip.compress(PLAIN),
        gzip.compress(b"\xef\xbb\xbf" + PLAIN),
    ],
    ids=["plain", "Windows line ends", "byte order mark", "gzip", "gzip with a mark"],
)
def test_accepted_files_are_not_guessed_at(check, content: bytes) -> None:
    checked = check(content)
    assert (checked.ok, checked.rows, checked.guess, checked.warnings) == (True, 30, None, [])


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\n\n", b"\xef\xbb\xbf\n"])
def test_an_empty_file_is_empty_and_nothing_else(check, content: bytes) -> None:
    checked = check(content)
    assert [problem.code for problem in checked.problems] == ["empty_file"]
    assert checked.guess is None


@pytest.mark.parametrize("name", ["answer", "prediction", "final_answer", "response", "label"])
def test_an_answer_under_another_name_is_found(check, name: str) -> None:
    checked = check(jsonl([{"id": row["id"], name: row["value"]} for row in ROWS]))
    assert checked.guess is not None
    assert checked.guess.code == "answer_by_another_name"
    assert f"the answer in {name!r}, but it is read from 'value'" in checked.guess.message


@pytest.mark.parametrize("name", ["answer", "prediction", "output", "value"])
def test_a_response_under_another_name_is_found(check, name: str) -> None:
    lines = [{name if key == "response" else key: value for key, value in row.items()} for row in TURNS]
    checked = check(jsonl(lines), STATEBENCH, TIMELINES)
    assert checked.guess is not None
    assert (checked.guess.code, repr(name) in checked.guess.message) == ("answer_by_another_name", True)


def test_a_text_that_is_the_answer_itself_is_told_to_change_its_field(check) -> None:
    """`output` is read as text that may hold JSON, so the file is valid and answers nothing."""
    checked = check(jsonl([{"id": row["id"], "output": row["value"]} for row in ROWS]))
    assert checked.ok
    (warning,) = checked.warnings
    assert warning.code == "answer_not_in_its_field"
    assert "30 of 30 lines have a text in 'output'" in warning.message
    assert check(jsonl([{"id": row["id"], "output": json.dumps(row)} for row in ROWS])).warnings == []


def test_an_id_under_another_name_is_found(check) -> None:
    checked = check(jsonl([{"question_id": row["id"], "value": "x"} for row in ROWS]))
    assert checked.guess is not None
    assert checked.guess.message.startswith(
        "The lines seem to have the id in 'question_id', but it is read from"
    )


def test_lines_of_the_other_benchmark_are_called_so(check) -> None:
    checked = check(jsonl(TURNS))
    assert checked.guess is not None
    assert checked.guess.message == (
        "These lines seem to be answers to StateBench ('timeline_id', 'query_idx', 'response'); this version is one of "
        "GoldEvidenceBench. Choose a version of StateBench."
    )
    checked = check(PLAIN, STATEBENCH, TIMELINES)
    assert checked.guess is not None
    assert checked.guess.code == "another_benchmark"
    assert "GoldEvidenceBench ('id', 'value')" in checked.guess.message


def test_the_rows_themselves_are_no_answers(check) -> None:
    asked = [{"id": row["id"], "book": "…", "question": "What holds?", "meta": {}} for row in ROWS]
    checked = check(jsonl(asked))
    assert checked.guess is not None
    assert checked.guess.code == "rows_not_answers"


def test_a_few_bad_lines_are_no_guess(check) -> None:
    broken = PLAIN.replace(b'"value": "amber-3"', b'"value": ["amber-3"]')
    checked = check(broken)
    assert (checked.counts, checked.guess) == ({"wrong_type": 1}, None)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=400) | st.text(alphabet="[]{}\",:;\t\n'ab1\0", max_size=200).map(str.encode))
def test_no_bytes_break_the_guess(check, content: bytes) -> None:
    forms.form_of(content)
    check(content)
    check(gzip.compress(content))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.fixed_dictionaries({"id": st.text(max_size=9), "value": st.text(max_size=30)}), min_size=1)
)
def test_json_lines_are_never_called_anything_else(rows) -> None:
    assert forms.form_of(jsonl(rows)) is None
