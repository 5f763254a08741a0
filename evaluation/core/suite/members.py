"""Members that a suite may lack, or that were added after it was written: what holds without them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evaluation.core.plugin.replay import Account, ContextShown, Replay
from evaluation.core.records import Given, JsonObject, Row, Verdict
from evaluation.core.suite.parts import (
    REFERENCES,
    Column,
    ExpectedRows,
    Rung,
    Settings,
    SystemSpec,
)
from evaluation.core.suite.protocol import Suite


def unit_icc_of(suite: Suite) -> float:
    """What the correlation of the rows of a unit is taken to be: `Suite.unit_icc`.

    Args:
        suite: Any suite. One that was written before it could say so has the usual one.
    """
    from evaluation.core.statistics.intervals import ICC_PRIOR  # numpy, which --help does without

    return float(getattr(suite, "unit_icc", ICC_PRIOR))


def grader_of(suite: Suite, settings: Settings) -> str:
    """Name and revision of the grader of a version, which enters its hash and stands at every score.

    Args:
        suite: Of the version. One whose versions are not all graded by its newest grader has the member
            `grader_of(settings)`, which is no part of the protocol.
        settings: Those of the version.
    """
    read = getattr(suite, "grader_of", None)
    return read(settings) if read else suite.grader


def reference_of(spec: SystemSpec) -> str:
    """The role of a system, where it is a reference; empty for a contestant.

    Args:
        spec: Of any suite. One that was written before there were roles has none.
    """
    role = getattr(spec, "reference", "")
    return role if role in REFERENCES else ""


def headline_of(suite: Suite, settings: Settings, split: str = "") -> Column:
    """The column that a board of a version is ordered by, marked as the headline.

    Args:
        suite: Of the version. One that was written before versions named their headline has the same for all of them.
        settings: Those of the version.
        split: The name of a split, of a board that is ordered by its rows alone; empty: the whole version.
    """
    if hasattr(suite, "headline"):
        return replace(suite.headline(settings, split), headline=True)
    return next(column for column in suite.columns if column.headline)


def columns_of(suite: Suite, settings: Settings) -> list[Column]:
    """The columns of a suite as a version has them: its headline first, and no other marked as one.

    Args:
        suite: Of the version.
        settings: Those of the version.
    """
    headline = headline_of(suite, settings)
    others = (column for column in suite.columns if column.name != headline.name)
    return [headline, *(replace(column, headline=False) if column.headline else column for column in others)]


def independent_questions_of(suite: Suite, settings: Settings, splits: Mapping[str, int]) -> int:
    """How many rows of a version have answers that do not follow from those of other rows, at least.

    Args:
        suite: Of the version. Of one that was written before it could say so, those of the largest split.
        settings: Those of the version.
        splits: The number of rows of each split.
    """
    if hasattr(suite, "independent_questions"):
        return suite.independent_questions(settings, splits)
    return max(splits.values(), default=0)


def only_rows(
    suite: Suite, records: Iterable[JsonObject], row_ids: Collection[str]
) -> Iterator[JsonObject] | None:
    """The grading records of a part of a version.

    Args:
        suite: Of the version.
        records: Of all its items.
        row_ids: The ids of the rows of the part.

    Returns:
        What to grade the part by; None for a suite that was written before parts could be graded.
    """
    if not hasattr(suite, "record_of_rows"):
        return None
    parts = (suite.record_of_rows(record, row_ids) for record in records)
    return (part for part in parts if part is not None)


def rungs_of(suite: Suite, settings: Settings) -> Sequence[Rung]:
    """The lengths of a version, ascending; none for a version of one length.

    Args:
        suite: Of the version. One that was written before there were several has none.
        settings: Those of the version.
    """
    return suite.rungs(settings) if hasattr(suite, "rungs") else ()


def systems_over(suite: Suite, settings: Settings) -> dict[str, SystemSpec]:
    """The deterministic systems that say something of a version, by name.

    Args:
        suite: Of the version. One whose systems need something that not every version has says so in the member
            `runs_over`, which is no part of the protocol.
        settings: Those of the version.
    """
    says_something = getattr(suite, "runs_over", lambda system, settings: True)
    return {name: spec for name, spec in suite.systems().items() if says_something(name, settings)}


def expected_with_lines(suite: Suite, records: Iterable[JsonObject]) -> ExpectedRows:
    """What a submission has to hold, and the lines that each row holds, where the suite says so.

    Args:
        suite: One whose predictions may say which lines were shown has `lines(record)`, an iterator of the row ids of a
            grading record or public row, each with the ids of its lines. It is no part of the protocol.
        records: Grading records, or public rows.

    Returns:
        As `Suite.expected`, with `lines` where there is such a member.

    Raises:
        RowError: As `Suite.expected`.
    """
    read = getattr(suite, "lines", None)
    if read is None:
        return suite.expected(records)
    lines: dict[str, str] = {}

    def passing() -> Iterator[JsonObject]:
        for record in records:
            yield record
            lines.update(read(record))

    return replace(suite.expected(passing()), lines=lines)


def own_decomposition(suite: Suite, metrics: Mapping[str, Any]) -> list[tuple[str, float | None]]:
    """The decomposition of a system's own retrieval, as its predictions report it.

    Args:
        suite: One that has none lacks the member `own_decomposition`, which is no part of the protocol.
        metrics: Of a report, or of a group of it.

    Returns:
        As `Suite.decomposition`; empty where no prediction says what was shown.
    """
    read = getattr(suite, "own_decomposition", None)
    return read(metrics) if read else []


def unshown_citations(suite: Suite) -> str:
    """The metric of answers that cite what their answerer, as the file says, was not shown; empty where there is none.

    Args:
        suite: One that has such a metric names it in the member `unshown_citations`, which is no part of the protocol.
    """
    return getattr(suite, "unshown_citations", "")


def shared_texts_of(suite: Suite, settings: Settings) -> Collection[str]:
    """The fields of a row that hold long texts which other rows share: a version's file has each of them once.

    Args:
        suite: One that has such fields names them in the member `shared_texts`, which is no part of the protocol.
        settings: Those of the version.

    Returns:
        Names among `Suite.texts`; empty where every row holds its own texts.
    """
    read = getattr(suite, "shared_texts", None)
    return read(settings) if read else ()


def other_formats_of(suite: Suite) -> Mapping[str, Callable[[Row], JsonObject]]:
    """The formats of others in which a version's rows can be had.

    Args:
        suite: One that has such formats names them in the member `other_formats`, which is no part of the protocol.

    Returns:
        name of the format, as an address has it -> what makes one of its rows of a public row; mostly empty.
    """
    formats: Mapping[str, Callable[[Row], JsonObject]] = getattr(suite, "other_formats", {})
    return formats


def id_fields_of(suite: Suite) -> Sequence[str]:
    """The fields by which a line of a predictions file names its row.

    Args:
        suite: One that says so names them in the member `id_fields`, which is no part of the protocol.

    Returns:
        The fields, all of which are needed; empty where the suite does not say.
    """
    fields: Sequence[str] = getattr(suite, "id_fields", ())
    return fields


def answer_fields_of(suite: Suite) -> Sequence[str]:
    """The fields that an answer is read from, the usual one first.

    Args:
        suite: One that says so names them in the member `answer_fields`, which is no part of the protocol.

    Returns:
        The fields, one of which is enough; empty where the suite does not say.
    """
    fields: Sequence[str] = getattr(suite, "answer_fields", ())
    return fields


def given_of(suite: Suite, data: JsonObject, expected: ExpectedRows) -> Given | None:
    """What a usable line answers, for a look at what all lines of a file have in common.

    Args:
        suite: One that tells has the member `given(data, expected)`, which is no part of the protocol.
        data: The line.
        expected: What the file has to hold.

    Returns:
        The answer; None where the line says itself that there is none, or the suite does not tell.
    """
    read = getattr(suite, "given", None)
    return read(data, expected) if read else None


def answer_key_of(suite: Suite, data: JsonObject) -> str:
    """A text that two usable lines share exactly where they answer the same.

    Args:
        suite: One that tells has the member `answer_key(line)`, which is no part of the protocol.
        data: The line.

    Returns:
        The text; empty where the line holds no answer. Of a suite that does not tell, the whole line.
    """
    read = getattr(suite, "answer_key", None)
    return read(data) if read else json.dumps(data, sort_keys=True)


def mistake_key_of(suite: Suite, verdict: Verdict) -> str:
    """A text that two verdicts share exactly where the same wrong answer was given to the same question, in any order.

    Args:
        suite: One that tells has the member `mistake_key(verdict)`, which is no part of the protocol.
        verdict: Complete.

    Returns:
        The text; empty where the answer is right, is none, or says nothing of who gave it, and of a suite that does
        not tell.
    """
    read = getattr(suite, "mistake_key", None)
    return read(verdict) if read else ""


def most_citations_of(suite: Suite, settings: Settings) -> int | None:
    """How many lines that an answer cites count at most.

    Args:
        suite: One whose answers cite lines has the member `most_citations(settings)`, which is no part of the protocol.
        settings: Those of the version.

    Returns:
        The number; None where nothing is cited.
    """
    read = getattr(suite, "most_citations", None)
    return read(settings) if read else None


def replay_of(suite: Suite, row: Row, row_id: str, *, state: bool) -> Replay | None:
    """A row as a timeline.

    Args:
        suite: One that has such timelines makes them in `RowReplays.replay`.
        row: Public, or with gold.
        row_id: Of the question that is looked at: a row may ask several.
        state: Whether to say what held; else only what the text says where, as on a version that keeps its answers.

    Returns:
        The timeline; None of a suite without any, or of a row that shows nothing of the kind.
    """
    read = getattr(suite, "replay", None)
    return read(row, row_id, state=state) if read else None


def account_of(suite: Suite, row: Row, seen: Replay | None, verdict: Verdict) -> Account:
    """What came of an answer, in a sentence for whoever may see the answers of its version.

    Args:
        suite: One that can tell more than its grader does so in `RowReplays.account`.
        row: That was answered.
        seen: Its timeline with what held, where there is one.
        verdict: Complete.
    """
    read = getattr(suite, "account", None)
    if read and seen is not None:
        account: Account = read(row, seen, verdict)
        return account
    return Account(str(verdict.get("reason") or "") or ("right" if verdict.get("correct") else "wrong"))


def answers_of(suite: Suite, record: JsonObject) -> Iterable[tuple[str, JsonObject]]:
    """What a grading record says of each of its rows, for whoever may see the answers of the version.

    Args:
        suite: One that can put gold and row together again does so in `RowReplays.answers` and `.with_answer`.
        record: A grading record.

    Returns:
        (row id, what `with_answer_of` takes), for each row; empty of a suite without.
    """
    read = getattr(suite, "answers", None)
    return read(record) if read else ()


def with_answer_of(suite: Suite, row: Row, answer: JsonObject) -> Row:
    """A public row with its gold.

    Args:
        suite: Which made the answer.
        row: The row.
        answer: Of `answers_of`.
    """
    whole: Row = suite.with_answer(row, answer)  # type: ignore[attr-defined]  # see `answers_of`
    return whole


def row_labels_of(suite: Suite, row: Row) -> Mapping[str, str]:
    """What rows can be chosen by, as far as a row says it.

    Args:
        suite: One whose rows have labels names them in `RowReplays.row_labels`.
        row: Public, or with gold.

    Returns:
        What a label is of -> the label; empty where there is none.
    """
    read = getattr(suite, "row_labels", None)
    return read(row) if read else {}


def contexts_of(suite: Suite, row: Row, row_id: str) -> Sequence[ContextShown]:
    """What the suite's ways to build a context hold when a row asks.

    Args:
        suite: One that builds contexts shows them in `RowReplays.contexts`.
        row: Public, or with gold.
        row_id: Of the question.

    Returns:
        The contexts; empty where the suite builds none.
    """
    read = getattr(suite, "contexts", None)
    return read(row, row_id) if read else ()


def has_contexts(suite: Suite) -> bool:
    """Whether a suite builds contexts: see `contexts_of`.

    Args:
        suite: Any.
    """
    return hasattr(suite, "contexts")
