"""JSON lines round-trip, plain and packed, and every fault is reported with its position."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError, RowError

ROWS = st.lists(
    st.dictionaries(st.text(max_size=4), st.none() | st.integers(-(2**53), 2**53) | st.text(max_size=9)),
    max_size=5,
)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(rows=ROWS, name=st.sampled_from(["rows.jsonl", "rows.jsonl.gz"]))
def test_rows_come_back_as_they_were_written(tmp_path, rows, name: str) -> None:
    assert jsonl.write(tmp_path / name, rows) == len(rows)
    assert list(jsonl.read(tmp_path / name)) == rows


def test_the_same_rows_pack_to_the_same_bytes(tmp_path) -> None:
    for name in ("a.gz", "b.gz"):
        jsonl.write(tmp_path / name, [{"id": "a"}])
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_gzip_is_known_by_its_bytes_and_not_by_its_name(tmp_path) -> None:
    (tmp_path / "rows.jsonl").write_bytes(gzip.compress(b'{"id": "a"}\n'))
    assert list(jsonl.read(tmp_path / "rows.jsonl")) == [{"id": "a"}]


@pytest.mark.parametrize(
    ("line", "code", "column"),
    [
        (b'{"a": }', "not_json", 7),
        (b"{oops", "not_json", 2),
        (b'{"a": "\xff"}', "not_utf8", 8),
        (b'{"a": NaN}', "not_a_number", 7),
        (b'{"a": -Infinity}', "not_a_number", 7),
        (b"\xef\xbb\xbf{}", "bom", 1),
        (b"[" * 100_000, "nested_too_deeply", 0),
        (b"9" * 5000, "number_too_long", 0),
        (b'"\\ud800"', "not_json", 0),
        (b"1e999", "not_json", 0),
    ],
)
def test_a_fault_is_named_with_its_column(line: bytes, code: str, column: int) -> None:
    fault = jsonl.fault_of(line + b"\n")
    assert (fault.code, fault.column) == (code, column)
    with pytest.raises(RowError) as caught:
        jsonl.parse(line + b"\n", path="rows.jsonl", number=3)
    assert str(caught.value).startswith(f"rows.jsonl:3:{column}: " if column else "rows.jsonl:3: ")


@given(st.binary(max_size=30))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_parsed_or_refused(line: bytes) -> None:
    try:
        assert jsonl.parse(line) == json.loads(line)
    except RowError:
        with pytest.raises(orjson.JSONDecodeError):
            orjson.loads(line)


@pytest.mark.parametrize("cut", [5, 20, -4])
def test_damaged_gzip_is_refused(tmp_path, cut: int) -> None:
    packed = gzip.compress(b'{"id": "a"}\n' * 100)
    (tmp_path / "rows.gz").write_bytes(packed[:cut])
    with pytest.raises(RowError, match="the gzip data is damaged"):
        list(jsonl.read(tmp_path / "rows.gz"))


def test_a_line_that_is_no_object_is_refused(tmp_path) -> None:
    (tmp_path / "rows.jsonl").write_text("\n[1]\n")
    with pytest.raises(RowError, match=r"rows.jsonl:2: a line must be a JSON object, not a list"):
        list(jsonl.read(tmp_path / "rows.jsonl"))


def test_a_file_takes_its_name_only_when_it_is_whole(tmp_path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("before\n")

    def broken():
        yield {"id": "a"}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        jsonl.write(path, broken())
    assert [file.name for file in tmp_path.iterdir()] == ["rows.jsonl"]
    assert path.read_text() == "before\n"


def test_a_file_that_is_read_is_never_written_over(tmp_path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"id": "a"}\n')
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "rows.jsonl")
    for name in ("rows.jsonl", "link.jsonl"):
        with pytest.raises(BenchmarkError, match="write to another file"):
            jsonl.write(
                tmp_path / name, jsonl.read(tmp_path / "rows.jsonl"), sources=[tmp_path / "rows.jsonl"]
            )
    assert (tmp_path / "rows.jsonl").read_text() == '{"id": "a"}\n'


def test_a_link_keeps_pointing_at_the_file_that_is_written_anew(tmp_path) -> None:
    (tmp_path / "rows.jsonl").write_text("before\n")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "rows.jsonl")
    jsonl.write(tmp_path / "link.jsonl", [{"id": "a"}])
    assert (tmp_path / "link.jsonl").is_symlink()
    assert list(jsonl.read(tmp_path / "rows.jsonl")) == [{"id": "a"}]


def test_folders_that_are_not_there_are_made(tmp_path) -> None:
    path = tmp_path / "none" / "yet" / "rows.jsonl"
    jsonl.write(path, [{"id": "a"}])
    assert path.read_bytes() == b'{"id":"a"}\n'


def test_a_folder_that_cannot_be_made_is_named(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        jsonl.write(tmp_path / "file" / "rows.jsonl", [])


def test_a_dash_is_standard_output(tmp_path, monkeypatch, capfdbinary) -> None:
    monkeypatch.chdir(tmp_path)
    jsonl.write("-", [{"id": "a"}])
    jsonl.save("-", b"b")
    assert capfdbinary.readouterr().out == b'{"id":"a"}\nb'
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_pipe_is_read_once_and_refused_where_once_is_not_enough(pack) -> None:
    source, sink = os.pipe()
    os.write(sink, pack(b'{"id": "a"}\n'))
    os.close(sink)
    with pytest.raises(BenchmarkError, match="a pipe"):
        jsonl.read_again(f"/dev/fd/{source}")
    assert list(jsonl.read(f"/dev/fd/{source}")) == [{"id": "a"}]
    os.close(source)


def test_a_lasting_replacement_is_on_disk_before_it_has_the_name(tmp_path, monkeypatch) -> None:
    calls: list[str] = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda number: (calls.append("on disk"), sync(number)))
    monkeypatch.setattr(os, "replace", lambda *names: (calls.append("named"), replace(*names)))
    with jsonl.fresh(tmp_path / "preds.jsonl", durable=True) as out:
        out.write(b"{}\n")
    assert calls == ["on disk", "named"]
    assert (tmp_path / "preds.jsonl").read_bytes() == b"{}\n"


def test_a_full_disk_is_reported_and_leaves_no_file(tmp_path: Path) -> None:
    """`/dev/full` takes no data, like a full disk."""
    link = tmp_path / "rows.jsonl"
    link.symlink_to("/dev/full")
    many = ({"id": number, "text": "x" * 100_000} for number in range(400))
    with pytest.raises(OSError, match="No space left"):
        jsonl.write(link, many)


def test_lines_written_in_parts_are_whole_and_an_error_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    long = b"y" * (1 << 20)
    lines = [[b'{"a":"', long, b'"}\n']] * 20 + [[b"{}\n"]] * 3000
    assert jsonl.write_parts(path, iter(lines)) == len(lines)
    assert path.read_bytes() == b"".join(part for parts in lines for part in parts)

    def failing() -> Iterator[list[bytes]]:
        yield from lines
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        jsonl.write_parts(path, failing())
    assert path.stat().st_size == sum(len(part) for parts in lines for part in parts)
    assert [each.name for each in tmp_path.iterdir()] == ["rows.jsonl"]


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="this system has no /dev/fd")
def test_rows_are_written_into_a_pipe_as_into_a_file():
    reader, writer = os.pipe()
    try:
        assert jsonl.write(f"/dev/fd/{writer}", [{"id": "a"}, {"id": "b"}]) == 2
    finally:
        os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        assert pipe.read() == b'{"id":"a"}\n{"id":"b"}\n'
