"""Checks an artifact: it must be a book of bounded size, and must not copy the log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from evaluation.core.checks import Problem
from evaluation.core.errors import AdapterError
from evaluation.goldevidence.data import book
from evaluation.goldevidence.data.ledger import LEDGER_HEADING

#: Most words of an artifact: a ratio to the words of its log, plus some for rules and glossary. The generator's own
#: books, narrative included, have 1.44 words per word of a log of 7,400 words and 1.75 of one of 500 (all presets).
SIZE_RATIO, SIZE_SPARE = 2.0, 250
#: Share of a log's lines that the prose of an artifact may repeat. The generator's own books repeat none; a log whose
#: marks and ids were struck out repeats all.
MOST_COPIED = 0.1
_MARKS = re.compile(r"^\s*-\s*(?:\[[^\]]*\]\s*)?(?:[A-Z]+\s+)?(?=step=)|^- Day \d+, [a-z]+ watch – ")
_WORDS = re.compile(r"[^a-z0-9]+")


def problem_of(artifact: object, log: str) -> Problem | None:
    """Return the first reason to refuse an artifact (not a book, too long, copied from the log); None if accepted."""
    if not isinstance(artifact, str):
        return Problem("wrong_type", "'artifact' must be a text: the book.")
    if artifact.strip() == log.strip():
        return Problem(
            "artifact_is_log",
            "it is the log itself. An artifact must be a book; the docs list its sections.",
        )
    if faults := book.validate(artifact):
        first, count = faults[0], len(faults)
        more = f" ({count - 1:,} more)" if count > 1 else ""
        return Problem("artifact_no_book", f"line {first.line}: {first.message}{more}", column=None)
    words, most = count_words(artifact), int(SIZE_RATIO * count_words(log)) + SIZE_SPARE
    if words > most:
        return Problem(
            "artifact_too_long", f"it has {words:,} words; at most {most:,} are allowed for this log."
        )
    if (share := copied_share(artifact, log)) > MOST_COPIED:
        most_copied = f"at most {MOST_COPIED:.0%} are allowed outside the ledger."
        return Problem("artifact_is_log", f"it repeats {share:.0%} of the lines of the log; {most_copied}")
    return None


def checked(artifact: object, log: str, episode: str) -> str:
    """Return the artifact if it is acceptable. Raises AdapterError naming the episode and the broken rule."""
    problem = problem_of(artifact, log)
    if problem is not None or not isinstance(artifact, str):
        raise AdapterError(
            f"episode {episode}: the artifact is refused: {problem.message if problem else 'no text'}"
        )
    return artifact


def count_words(text: str) -> int:
    """Count the words separated by white space. They stand for tokens if no model's tokenizer is used."""
    return len(text.split())


def copied_share(artifact: str, log: str) -> float:
    """Return the share (0 to 1) of log lines whose step and content also occur in the artifact, outside its ledger.

    Markers, ids, punctuation and case are ignored, so removing them does not hide a copy. Steps must match, because a
    narrative may legitimately state the value of a tag.
    """
    prose = f" {_plain(artifact.partition(LEDGER_HEADING)[0])} "
    lines = _log_lines(log)
    return sum(f" {line} " in prose for line in lines) / len(lines) if lines else 0.0


@lru_cache(maxsize=4)
def _log_lines(log: str) -> tuple[str, ...]:
    return tuple(_contents(log))


def _contents(log: str) -> Iterator[str]:
    for line in log.splitlines():
        if match := _MARKS.match(line):
            yield _plain(line[match.end() :])


def _plain(text: str) -> str:
    return _WORDS.sub(" ", text.lower()).strip()
