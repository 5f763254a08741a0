"""Notes store only what joiners need of a row, and a few kilobytes of a text."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from evaluation.attacks.goldevidence.joining.notes import KEPT, FileNotes, sketch
from evaluation.attacks.running import sealed_lines
from evaluation.goldevidence.suite import SUITE
from tests.evaluation.attacks.goldevidence.test_registry import small


@given(st.sets(st.binary(max_size=8), max_size=50))
def test_a_sketch_does_not_depend_on_the_order_of_its_parts(parts: set[bytes]) -> None:
    known = sketch(parts)
    assert known.tolist() == sketch(reversed(list(parts))).tolist() == sorted(set(known.tolist()))
    assert len(known) <= KEPT


def test_a_text_is_sketched_once_and_its_rows_keep_the_lines_about_their_tags() -> None:
    version = SUITE.version(small("ladder_short"))
    lines, gold = sealed_lines(SUITE, version.generate(), version.shared_texts)
    notes = FileNotes()
    for line in lines:
        notes.see(line)
    texts = {line.row["document"] for line in lines}  # type: ignore[typeddict-item]
    assert len(notes.texts) == len(texts) < len(lines)
    for row, (known, _) in zip(notes.rows, gold, strict=True):
        assert {row.lines[line].key for line in row.mine} == {known["meta"]["key"]}  # type: ignore[typeddict-item]
        assert set(known["gold"]["support_ids"]) <= {entry.uid for entry in row.lines}  # type: ignore[typeddict-item]
    kept = sum(sys.getsizeof(sketched) for text in notes.texts for sketched in (text.tokens, text.lines))
    assert kept < 6 * KEPT * len(notes.texts) * 4


def test_prose_keeps_its_sentences_as_lines() -> None:
    version = SUITE.version(small("prose_short"))
    lines, gold = sealed_lines(SUITE, version.generate(), version.shared_texts)
    notes = FileNotes()
    for line in lines:
        notes.see(line)
    named = [row for row in notes.rows if row.mine]
    answers = {row["id"]: row["gold"]["support_ids"] for row, _ in gold}  # type: ignore[typeddict-item]
    shown = [set(answers[row.id]) <= {entry.uid for entry in row.lines} for row in named]
    assert sum(shown) > 0.8 * len(named) > 0
