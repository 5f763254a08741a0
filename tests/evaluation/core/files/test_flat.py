"""Flat files: read with repeated texts cut out, equal to reading line by line; written as plain JSON lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.core.files import flat
from evaluation.core.files.flat import RowParser
from evaluation.goldevidence import generate

TEXTS = st.sampled_from(
    ["", "a", 'says "x"', "back\\slash", 'ends in \\"', "line\nline", '"document":"x"', "é\u2028"]
)
KEYS = st.sampled_from(["document", "book", "id", 'my"document', "meta", 'x"book'])
VALUES = (
    TEXTS
    | st.integers(-9, 9)
    | st.none()
    | st.dictionaries(KEYS, TEXTS, max_size=2)
    | st.lists(TEXTS, max_size=2)
)
OBJECTS = st.lists(st.tuples(KEYS, VALUES), max_size=6)  # pairs, since a key may be given twice


def line_of(pairs, *, compact: bool) -> bytes:
    colon = ":" if compact else ": "
    inside = ",".join(
        json.dumps(key) + colon + json.dumps(value, ensure_ascii=not compact) for key, value in pairs
    )
    return ("{" + inside + "}\n").encode()


@settings(max_examples=300, deadline=None)
@given(st.lists(OBJECTS, min_size=1, max_size=5), st.booleans())
def test_any_lines_are_read_as_they_are_read_one_by_one(objects, compact: bool) -> None:
    parser = RowParser()
    for pairs in objects:
        line = line_of(pairs, compact=compact)
        assert parser.parse(line, path="data.jsonl", number=1) == json.loads(line)


@settings(max_examples=150, deadline=None)
@given(st.lists(OBJECTS, min_size=1, max_size=4), st.integers(0, 200), st.binary(min_size=1, max_size=3))
def test_damaged_lines_are_refused_exactly_where_they_are_refused_one_by_one(
    objects, at: int, noise: bytes
) -> None:
    parser = RowParser()
    parser.parse(b'{"id":"a","document":"a","book":"a"}', path="", number=1)
    for pairs in objects:
        line = bytearray(line_of(pairs, compact=True))
        line[at % len(line) : at % len(line)] = noise
        assert outcome(parser.parse, bytes(line)) == outcome(jsonl.parse_row, bytes(line))


def test_a_line_may_break_off_anywhere() -> None:
    line = b'{"id": "a", "document": "a", "book": "b\\n", "meta": {}}'
    for end in range(len(line)):
        assert outcome(RowParser().parse, line[:end]) == outcome(jsonl.parse_row, line[:end])


def outcome(parse, line: bytes):
    try:
        return parse(line, path="data.jsonl", number=7)
    except RowError as error:
        return str(error)


def test_the_rows_of_an_episode_share_their_texts(tmp_path) -> None:
    rows = list(generate({"episodes": 2, "steps": 40, "queries": 3, "chapters": 2}))
    jsonl.write(tmp_path / "data.jsonl", rows)
    read = [item for _, item in flat.read(tmp_path / "data.jsonl")]
    assert read == rows
    assert len({id(row["document"]) for row in read}) == len({row["episode_id"] for row in rows})


@pytest.mark.parametrize("name", ["data.jsonl", "data.jsonl.gz"])
def test_line_numbers_count_blank_lines(name: str, tmp_path) -> None:
    jsonl.write(tmp_path / name, [{"id": "a"}])
    assert list(flat.read(tmp_path / name)) == [(1, {"id": "a"})]
    (tmp_path / "blank.jsonl").write_text('\n  \n{"id": "a"}\n')
    assert list(flat.read(tmp_path / "blank.jsonl")) == [(3, {"id": "a"})]


CONFIG = {"episodes": 2, "steps": 20, "chapters": 2, "keys": 4, "queries": 3}


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_the_file_is_the_one_that_jsonl_would_write(tmp_path, name):
    rows = [*generate(CONFIG), {"id": "a row without texts"}]
    (tmp_path / "plain").mkdir()
    assert flat.write(tmp_path / name, iter(rows)) == jsonl.write(tmp_path / "plain" / name, rows) == 13
    assert (tmp_path / name).read_bytes() == (tmp_path / "plain" / name).read_bytes()


def test_rows_read_back_as_they_were(tmp_path):
    rows = list(generate(CONFIG))
    flat.write(tmp_path / "rows.jsonl", rows)
    assert list(jsonl.read(tmp_path / "rows.jsonl")) == rows


def test_texts_with_strange_characters_are_written_as_jsonl_writes_them(tmp_path):
    rows = [
        {"id": "1", "book": "a\0b\u2028", "document": "\0", "question": "\0?"},
        {"id": "2", "document": "", "gold": None, "book": None},
        {"document": "first", "id": "3"},
    ]
    flat.write(tmp_path / "flat.jsonl", rows)
    jsonl.write(tmp_path / "plain.jsonl", rows)
    assert (tmp_path / "flat.jsonl").read_bytes() == (tmp_path / "plain.jsonl").read_bytes()


def test_rows_may_be_encoded_first_and_written_later(tmp_path):
    rows = [*generate(CONFIG), {"id": "a row without texts"}]
    groups = [flat.encode(rows[:6]), flat.encode([]), flat.encode(rows[6:])]
    assert flat.write_encoded(tmp_path / "encoded.jsonl", groups) == jsonl.write(
        tmp_path / "plain.jsonl", rows
    )
    assert (tmp_path / "encoded.jsonl").read_bytes() == (tmp_path / "plain.jsonl").read_bytes()
    assert len(groups[0][0]) == 4  # the logs and books of the episode and its twin
