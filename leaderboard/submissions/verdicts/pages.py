"""Filtered pages of the verdicts on a submission's rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any, cast

from django.core.paginator import Page, Paginator
from django.http import QueryDict

from evaluation.core import jsonl
from evaluation.core.records import ShownVerdict, Verdict
from evaluation.core.suite import Suite
from evaluation.frames.grouped_file import RowFile, write_row_file
from evaluation.frames.verdict_file import Selection, Where
from leaderboard.accounts import permissions
from leaderboard.benchmarks import disclosure, storage
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.rows import reading
from leaderboard.submissions.models import Submission
from leaderboard.submissions.scores.score_tables import label
from leaderboard.submissions.verdicts import copies, files

PAGE_SIZE = 25  # verdicts a page, each with its question
#: Lines of the frozen file that are read directly (0.1 s at 60 kB per line). For later rows a copy is made.
NEAR = 500
#: Fields of a verdict with the given answer.
ANSWERS = frozenset({"value", "response", "prediction"})


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of verdicts. `failure` is a code, "any" for all failures, or "" for all rows."""

    failure: str = "any"
    split: str = ""
    text: str = ""

    @classmethod
    def read(cls, query: QueryDict) -> Filters:
        return cls(
            failure=query.get("failure", "any"),
            split=query.get("condition", ""),
            text=query.get("q", "").strip(),
        )

    def where(self, version: Version, splits: Iterable[str]) -> Where:
        """Return the filters for the verdicts file. The public name of a split may mean several splits of the file."""
        chosen = {split for split in splits if _redacted(version, split) == self.split}
        return Where(self.failure, chosen if self.split else None, self.text)


def why_withheld(version: Version, user: Any) -> str:
    """Return why a user may not see verdicts on single rows, which would reveal sealed answers. Empty if they may."""
    if not version.shown_step or permissions.may(user, permissions.VIEW_GOLD):
        return ""
    twin = version.public_twin
    where = f" Its public twin {twin.benchmark.slug}/{twin.slug} shows them." if twin else ""
    return f"{version} is sealed, so verdicts on single rows are not shown.{where}"


def page(submission: Submission, filters: Filters, *, number: int, user: Any) -> Page[ShownVerdict]:
    """Return a page of verdicts, each with its public row as `row`. Raises storage.DamagedFileError."""
    chosen_page: Page[Any] = Paginator(_selected(submission, filters) or [], PAGE_SIZE).get_page(number)
    rows = _shown(submission, chosen_page.object_list, user)
    _join_questions(submission, rows)
    chosen_page.object_list = rows
    return chosen_page


def batch(
    submission: Submission, filters: Filters, *, start: int, limit: int, user: Any, questions: bool
) -> tuple[list[ShownVerdict], int | None]:
    """Return verdicts from row `start` of the file, and the next start or None. `questions` adds the public rows."""
    selection = _selected(submission, filters)
    if selection is None:
        return [], None
    verdicts, following = selection.following(start, limit)
    rows = _shown(submission, verdicts, user)
    if questions:
        _join_questions(submission, rows)
    return rows, following


def _selected(submission: Submission, filters: Filters) -> Selection | None:
    if submission.score is None:
        return None
    file = files.opened(submission.score.verdicts_sha256)
    return file.select(filters.where(submission.version, file.splits))


def _redacted(version: Version, split: str) -> str:
    return version.suite.form_of(split) if version.disclosure.hides_splits else split


def _shown(submission: Submission, verdicts: Iterable[Verdict], user: Any) -> list[ShownVerdict]:
    version = submission.version
    answers = disclosure.shows_answers(version, user)
    own = submission.is_open_to(user, permissions.VIEW_GOLD)
    return [_concealed(version, verdict, answers=answers, own=own) for verdict in verdicts]


def _concealed(version: Version, verdict: Verdict, *, answers: bool, own: bool) -> ShownVerdict:
    if version.disclosure.hides_splits:
        verdict = _without_place(version.suite, verdict)
    visible = dict(verdict if answers else version.suite.redact(verdict, own=own))
    in_order = (*verdict, *visible)  # the verdict's order, additions last
    fields = {name: visible[name] for name in in_order if name in visible}
    words = {"label": label(verdict.get("failure") or "correct"), "concealed": not visible.keys() & ANSWERS}
    return cast(ShownVerdict, fields | words)


def _without_place(suite: Suite, verdict: Verdict) -> Verdict:
    hidden = {*suite.fields.placing, "figures"}
    kept = {name: value for name, value in verdict.items() if name not in hidden}
    return cast(Verdict, kept | {"condition": suite.form_of(verdict["condition"])})


def choices(submission: Submission) -> dict[str, list[tuple[str, str, int]]]:
    failures = submission.score.failures if submission.score else {}
    splits = redacted_splits(submission.version)
    return {
        "failure": [
            (code, label(code), count) for code, count in sorted(failures.items(), key=lambda p: -p[1])
        ],
        "split": [(name, name, count) for name, count in splits.items()] if len(splits) > 1 else [],
    }


def redacted_splits(version: Version) -> dict[str, int]:
    """Return the number of rows of each split, or of each kind of text if the splits are secret."""
    if not version.disclosure.hides_splits:
        splits: dict[str, int] = version.conditions
        return splits
    forms: Counter[str] = Counter()
    for name, count in version.conditions.items():
        forms[version.suite.form_of(name)] += count
    return dict(forms)


def _join_questions(submission: Submission, rows: Iterable[ShownVerdict]) -> None:
    """Add the public row to each verdict.

    Rows far down in the frozen file, or with separate documents, are read from a local copy, which is faster. Its texts
    are cut to the length that pages show.
    """
    version = submission.version
    copy = copies.copy_of(version.rows_sha256)
    unmatched = {row["id"]: row for row in rows}
    if copy is None:
        if not version.documents_sha256:
            _read_questions(version, unmatched)
        if unmatched and (version.documents_sha256 or version.row_count > NEAR):
            copy = copies.make(version.rows_sha256, lambda raw: _copy_rows(version, raw))
    if copy is not None and unmatched:
        path, footer = copy
        for row_id, public in RowFile(path, footer=footer).find(unmatched).items():
            unmatched[row_id]["row"] = public


def _copy_rows(version: Version, raw: IO[bytes]) -> None:
    write_row_file(reading.short_rows_of(version), version.suite, raw)


def _read_questions(version: Version, unmatched: dict[str, ShownVerdict]) -> None:
    lines = storage.lines(version.rows_sha256) if unmatched else iter(())
    for line in islice(lines, NEAR):
        public = jsonl.parse(line)
        for row_id in version.suite.expected([public]).splits.keys() & unmatched.keys():
            unmatched.pop(row_id)["row"] = public
        if not unmatched:
            return
