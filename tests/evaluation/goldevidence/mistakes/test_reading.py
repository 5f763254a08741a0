"""The mistakes found in a file are exactly those that the grader finds."""

from __future__ import annotations

import json
import tempfile
import tracemalloc
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError, UnknownNameError
from evaluation.core.files.documents import form
from evaluation.core.sealing import keyed_ids
from evaluation.goldevidence import grade_files
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.modes import MODES
from evaluation.goldevidence.mistakes.reading import Tally, mistakes
from evaluation.goldevidence.mistakes.record import KINDS, Mistake
from evaluation.goldevidence.suite import SUITE
from tests.evaluation.goldevidence.mistakes.cast import answer_of, lines_of, rows_of, written
from tests.records import faults


def kinds_by_grader(row: Any, prediction: Any, verdict: Any) -> set[str]:
    """The kinds of mistakes by the definitions of docs/mistakes.md, from the verdict of `grade` and the row."""
    if verdict["failure"] in ("missing", "unparseable", "cut_off", "unreadable", "empty"):
        return set()
    ids = {line[0] for line in lines_of(row)}
    cited, golds = verdict["cited"], verdict["gold"]["support_ids"]
    one = row["meta"]["derived_op"] != "reports" and len(golds) == 1
    has_candidates = row.get("candidates") is not None
    own = None if has_candidates else prediction.get("shown_uids")
    there = verdict["gold_present"] if has_candidates else own is None or set(golds) <= set(own)
    silent = verdict["value"] is None and not cited
    found = set()
    if one and there and cited and cited[0] != golds[0] and cited[0] in ids:
        found.add("wrong_selection")
    if own is not None and one and not there:
        found.add("retrieval_miss")
    if verdict["authority_violation"]:
        found.add("authority_violation")
    if (verdict["value_ok"] and not verdict["correct"]) or not set(cited) <= ids:
        found.add("bad_citation")
    if silent and there and verdict["gold"]["value"] is not None:
        found.add("wrong_abstention")
    if verdict["value"] is not None and not there and not verdict["value_ok"]:
        found.add("wrong_abstention")
    if not found and not verdict["value_ok"] and not (silent and not there):
        found.add("wrong_value")
    return found


@settings(max_examples=40, deadline=None)
@given(
    mode=st.sampled_from(sorted(MODES)),
    profile=st.sampled_from(sorted(PROFILES)),
    seed=st.integers(0, 2**40),
    shuffled=st.booleans(),
)
def test_every_mistake_is_one_by_the_grader_and_none_is_missed(
    mode: str, profile: str, seed: int, shuffled: bool
) -> None:
    rows = rows_of(mode, profile, seed)
    answers = [answer_of(row, seed) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        ordered = sorted(answers, key=lambda answer: answer["id"]) if shuffled else answers
        data, predictions = written(Path(folder), rows, ordered)
        tally = Tally()
        found = list(mistakes(data, predictions, tally=tally))
        verdicts = list(grade_files(data, predictions).rows)
    assert all(faults(json.loads(jsonl.dumps(each)), Mistake) == [] for each in found)
    kinds: dict[str, set[str]] = {}
    for each in found:
        assert each["kind"] not in kinds.setdefault(each["id"], set())
        kinds[each["id"]].add(each["kind"])
        assert each["why"]
    wrong = right = 0
    for row, answer, verdict in zip(rows, answers, verdicts, strict=True):
        expected = kinds_by_grader(row, answer, verdict)
        assert kinds.get(row["id"], set()) == expected, (row["id"], answer, verdict)
        wrong += bool(expected)
        right += bool(verdict["correct"]) and not expected
    assert (tally.rows, tally.wrong, tally.right) == (len(rows), wrong, right)
    assert tally.right + tally.wrong + tally.rightly_silent + tally.unanswered == tally.rows


def test_a_record_shows_the_candidates_in_their_order_and_says_why(tmp_path: Path) -> None:
    rows = [row for row in rows_of(seed=5) if row.get("candidates") is not None]
    answers = [answer_of(row, 5) for row in rows]
    found = list(mistakes(*written(tmp_path, rows, answers)))
    by_id = {row["id"]: row for row in rows}
    sentences = set()
    for each in found:
        shown = [{k: v for k, v in line.items() if k != "remark"} for line in each["shown"]]
        assert shown == [
            {k: v for k, v in line.items() if k != "remark"} for line in by_id[each["id"]]["candidates"]
        ]
        if each["kind"] == "wrong_selection":
            sentences.add(" ".join(word for word in each["why"].split() if not word.strip("().,;").isdigit()))
            assert f"step {each['chosen']['step']}" in each["why"]
            assert each["right"]["support_ids"][0] in each["why"]
    assert len(sentences) > 3


def test_the_sentence_names_the_step_that_overwrote_the_chosen_line(tmp_path: Path) -> None:
    lines = [
        ("U000001", 151, "SET", "a-0001"),
        ("U000002", 217, "SET", "b-0002"),
        ("U000003", 300, "CLEAR", None),
    ]
    candidates = [
        dict(zip(("uid", "step", "op", "value"), line, strict=True)) | {"key": "tag.00"} for line in lines
    ]
    row = next(row for row in rows_of(seed=1) if row.get("candidates") is not None)
    row |= {
        "candidates": candidates,
        "gold": {"value": None, "support_ids": ["U000003"], "present": True, "spoofed": {}},
    }
    row["meta"] |= {"key": "tag.00", "derived_op": None}
    answer = {"id": row["id"], "value": "a-0001", "support_ids": ["U000001"]}
    (found,) = mistakes(*written(tmp_path, [row], [answer]))
    assert found["why"] == (
        "The answer chose step 151 (U000001), overwritten at step 217 (U000002); step 300 (U000003) is valid."
    )


def test_kinds_and_limit_choose_among_them(tmp_path: Path) -> None:
    rows = rows_of(seed=9)
    files = written(tmp_path, rows, [answer_of(row, 9) for row in rows])
    every = list(mistakes(*files))
    some = list(mistakes(*files, kinds=["bad_citation", "wrong_abstention"]))
    assert some == [each for each in every if each["kind"] in ("bad_citation", "wrong_abstention")]
    for kind, of_kind in groupby(
        sorted(mistakes(*files, limit=2), key=lambda each: each["kind"]), lambda e: e["kind"]
    ):
        expected = [each for each in every if each["kind"] == kind][:2]
        assert list(of_kind) == expected
    assert {each["kind"] for each in every} == set(KINDS)
    with pytest.raises(UnknownNameError, match="Did you mean 'bad_citation'"):
        list(mistakes(*files, kinds=["bad_citations"]))
    with pytest.raises(BenchmarkError, match="at least 1"):
        list(mistakes(*files, limit=0))


def test_right_rows_come_on_demand(tmp_path: Path) -> None:
    rows = rows_of(seed=9)
    files = written(tmp_path, rows, [answer_of(row, 9) for row in rows])
    tally = Tally()
    every = list(mistakes(*files, with_right=True, tally=tally))
    assert sum(each["kind"] == "right" for each in every) == tally.right + tally.rightly_silent
    assert [each for each in every if each["kind"] != "right"] == list(mistakes(*files))


def refused(folder: Path, rows: list[Any], answers: list[Any], **options: Any) -> str:
    with pytest.raises(BenchmarkError) as refusal:
        list(mistakes(*written(folder, rows, answers), **options))
    return str(refusal.value)


def test_answers_and_rows_have_to_fit_together(tmp_path: Path) -> None:
    rows = rows_of(seed=2)[:6]
    answers = [answer_of(row, 2) for row in rows]
    assert "answers.jsonl: row " in refused(tmp_path, rows, answers[:-1])
    assert "has no prediction" in refused(tmp_path, rows, answers[:-1])
    assert "--partial" in refused(tmp_path, rows, answers[:-1])
    unknown = [*answers, {"id": "E9999-Q001", "value": None}]
    assert "answers.jsonl:7: it answers row 'E9999-Q001', which" in refused(tmp_path, rows, unknown)
    assert "belong to one version?" in refused(tmp_path, rows, unknown, partial=True)
    twice = [*answers, answers[1]]
    assert "answers.jsonl:7" in refused(tmp_path, rows, twice)
    assert "(first in line 2)" in refused(tmp_path, rows, twice)
    assert "two rows have the same id" in refused(tmp_path, [*rows, rows[0]], answers)
    tally = Tally()
    list(mistakes(*written(tmp_path, rows, answers[:4]), partial=True, tally=tally))
    assert tally.missing == 2


def test_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    rows = rows_of(seed=2)[:6]
    answers = [answer_of(row, 2) for row in rows]
    assert "the line is a row of a data file" in refused(tmp_path, rows, rows)
    assert "the line is not a row of this benchmark" in refused(tmp_path, answers, answers)
    assert "contains no rows" in refused(tmp_path, [], [])
    assert "must be a JSON object, not a number" in refused(tmp_path, rows, [3])
    data, predictions = written(tmp_path, rows, answers)
    plain = list(mistakes(data, predictions))
    for path in (data, predictions):
        content = Path(path).read_bytes()
        Path(path).write_bytes(b"\xef\xbb\xbf" + content)  # some editors write a byte order mark
        assert list(mistakes(data, predictions)) == plain
    unseen = [{**answers[0], "shown_uids": ["U0000F0"]}, *answers[1:]]
    assert "which is not a line of the row" in refused(tmp_path, rows, unseen)


def sealed_rows() -> tuple[list[Any], list[Any]]:
    """The public rows of a version with a secret key, and their gold."""
    settings = SUITE.settings.checked(
        {
            "protocol": "closed",
            "generator": {"episodes": 1, "steps": 30, "queries": 2, "keys": 4, "chapters": 2},
        }
        | {"key": keyed_ids.new_key(), "conditions": [{"k": 3}]}
    )
    rows = [row for item in SUITE.version(settings).generate() for row in item.rows]
    return [SUITE.public_row(row) for row in rows], [row["gold"] for row in rows]


@pytest.mark.parametrize("mark", [{}, {"canary": "GEB-CANARY-0123456789abcdef"}])
def test_rows_of_a_sealed_version_are_refused_with_gold_and_without(
    tmp_path: Path, mark: dict[str, str]
) -> None:
    public, golds = sealed_rows()
    answers = [{"id": row["id"], "value": None} for row in public]
    assert "has no gold: its version withholds the answers" in refused(
        tmp_path, [{**row, **mark} for row in public], answers
    )
    for row, gold, answer in zip(public, golds, answers, strict=True):
        assert "its gold must not be used for training" in refused(
            tmp_path, [{**row, **mark, "gold": gold}], [answer]
        )


def test_a_canary_alone_seals_nothing(tmp_path: Path) -> None:
    """Versions with public gold mark their rows, too."""
    rows = [{**row, "canary": "GEB-CANARY-0123456789abcdef"} for row in rows_of(seed=3)]
    assert list(mistakes(*written(tmp_path, rows, [answer_of(row, 3) for row in rows])))


def test_rows_that_are_answered_from_an_artifact_are_refused(tmp_path: Path) -> None:
    settings = SUITE.settings.checked(
        {"protocol": "build", "generator": {"episodes": 1, "queries": 1, "twins": False}}
    )
    rows = [row for item in SUITE.version(settings).generate() for row in item.rows]
    message = refused(tmp_path, rows, [{"id": row["id"], "value": None} for row in rows])
    assert "protocol build" in message


def test_rows_may_name_their_texts(tmp_path: Path) -> None:
    rows = rows_of(seed=6)
    answers = [answer_of(row, 6) for row in rows]
    expected = list(mistakes(*written(tmp_path, rows, answers)))
    texts = [form.texts_of(row, ("document", "book")) for row in rows]
    names = [form.name_of(each, keyed_ids.OPEN_KEY) for each in texts]
    lines = {
        name: form.document_line(name, each, {}) for name, each in zip(names, texts, strict=True) if each
    }
    (tmp_path / "documents.jsonl").write_bytes(b"".join(line + b"\n" for line in lines.values()))
    short = [form.parted(*each) if each[1] else each[0] for each in zip(rows, texts, names, strict=True)]
    assert any("document_id" in row for row in short)
    assert list(mistakes(*written(tmp_path, short, answers))) == expected


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    rows = [row for row in rows_of(seed=4) if row.get("candidates") is not None]

    def peak(times: int) -> int:
        many = [{**row, "id": f"{row['id']}-{n}"} for n in range(times) for row in rows]
        files = written(tmp_path, many, [answer_of(row, 4) for row in many])
        tracemalloc.start()
        try:
            for _ in mistakes(*files):
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few, many = peak(10), peak(60)
    assert many < few + 60 * len(rows) * 120  # hashes of ids, and room to sort them
