"""Which artifacts are refused, and which are not."""

from __future__ import annotations

import re

import pytest

from evaluation.core.errors import AdapterError
from evaluation.goldevidence.adapters.books.artifacts import book_of
from evaluation.goldevidence.artifacts.check import MOST_COPIED, checked, copied_share, problem_of
from evaluation.goldevidence.data.ledger import parse_log
from evaluation.goldevidence.generator.difficulty.entries import log_entries
from evaluation.goldevidence.presets import PRESETS

#: Of those whose books end with a ledger, as an artifact has to; ladders have logs alone.
UNITS = {
    name: next(iter(preset.units()))
    for name, preset in PRESETS.items()
    if preset.generator.book_ledger and preset.ladder is None
}
ROW = UNITS["standard"].rows[0]
LOG, BOOK = ROW["document"], ROW["book"]
SCRIBED = book_of(parse_log(LOG), "E0001")


def with_prose(*lines: str) -> str:
    return SCRIBED.replace("## Chapter 1\n", "## Chapter 1\n" + "\n".join(lines) + "\n")


@pytest.mark.parametrize("preset", UNITS)
def test_the_books_of_the_generator_and_of_a_perfect_scribe_are_taken(preset: str) -> None:
    row = UNITS[preset].rows[0]
    for artifact in (row["book"], book_of(parse_log(row["document"]), "E0001")):
        assert problem_of(artifact, row["document"]) is None
        assert copied_share(artifact, row["document"]) == 0


def test_the_log_handed_back_is_refused() -> None:
    assert problem_of(LOG, LOG).code == "artifact_is_log"
    assert problem_of(f"{LOG}\n## State Ledger\n", LOG).code == "artifact_no_book"


def test_log_lines_anywhere_in_a_book_are_refused_with_their_line() -> None:
    line = next(line for line in LOG.splitlines() if "UPDATE" in line)
    for hidden in (line, f"    {line}", f"It said: {line.removeprefix('- ')}"):
        problem = problem_of(with_prose(hidden), LOG)
        assert problem.code == "artifact_no_book"
        assert re.match(r"line \d+: a book must not repeat '.*' of the log", problem.message)


def test_a_log_without_its_marks_is_a_near_copy() -> None:
    stripped = [
        re.sub(r"^- (\[\w+\] )?[A-Z]+ ", "", line) for line in LOG.splitlines() if line.startswith("- ")
    ]
    for disguise in (stripped, [line.upper().replace("=", ": ") for line in stripped]):
        problem = problem_of(with_prose(*disguise), LOG)
        assert problem.code == "artifact_is_log"
        assert "it repeats" in problem.message
        assert copied_share(with_prose(*disguise), LOG) > 0.9
    few = stripped[: int(len(stripped) * MOST_COPIED) - 1]
    assert problem_of(with_prose(*few), LOG) is None


def test_an_artifact_is_bounded_by_the_length_of_its_log() -> None:
    problem = problem_of(with_prose("word " * 2 * len(LOG.split())), LOG)
    assert problem.code == "artifact_too_long"


@pytest.mark.parametrize("artifact", [None, 3, ["# Book"]])
def test_what_is_no_text_is_refused(artifact: object) -> None:
    assert problem_of(artifact, LOG).code == "wrong_type"
    with pytest.raises(
        AdapterError, match="episode E0001: the artifact is refused: 'artifact' must be a text"
    ):
        checked(artifact, LOG, "E0001")


def test_sections_have_to_be_all_there_and_in_order() -> None:
    assert (
        "`## Glossary (Tags)` is missing"
        in problem_of(SCRIBED.replace("## Glossary (Tags)", ""), LOG).message
    )
    assert "is not a section of a book" in problem_of(with_prose("## Appendix"), LOG).message


def test_an_artifact_that_repeats_the_sentences_of_a_log_is_refused() -> None:
    unit = next(iter(PRESETS["prose_short"].units()))
    log = unit.rows[0]["document"]
    sentences = [line.partition(" – ")[2] for line in log.splitlines() if line.startswith("- Day ")]
    scribed = book_of(list(log_entries(log)), "E0001")
    assert problem_of(scribed, log) is None
    problem = problem_of(scribed.replace("## Chapter 1", "## Chapter 1\n" + "\n".join(sentences)), log)
    assert problem is not None
    assert problem.code in ("artifact_is_log", "artifact_too_long")
    assert copied_share(scribed, log) == 0.0
    assert copied_share("\n".join(sentences), log) == 1.0
