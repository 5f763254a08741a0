"""Browse the verdicts of a graded submission: filter, page, and join each with its question."""

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
#: Lines of the frozen file that are read for a page: at 60 kB a line 0.1 s. Further on a copy is made.
NEAR = 500
#: What of a verdict is the answer that was given.
ANSWERS = frozenset({"value", "response", "prediction"})


@dataclass(frozen=True, slots=True)
class Filters:
    """What of the rows to show. `failure` "any" means every failing row, "" all rows."""

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
        """The same filters for a file of verdicts.

        Args:
            version: Which says how its splits may be named to a reader.
            splits: Those that the file's rows are of.

        Returns:
            The filters by the names that the file has for its splits.
        """
        chosen = {split for split in splits if _redacted(version, split) == self.split}
        return Where(self.failure, chosen if self.split else None, self.text)


def why_withheld(version: Version, user: Any) -> str:
    """Why an account may see no verdicts of single rows; empty where it may.

    Args:
        version: That the rows are of. What says which rows are right tells the answers of one that keeps them.
        user: The reader. Who may see gold sees them all.
    """
    if not version.shown_step or permissions.may(user, permissions.VIEW_GOLD):
        return ""
    twin = version.public_twin
    where = f" Its public twin {twin.benchmark.slug}/{twin.slug} shows them." if twin else ""
    return f"{version} keeps its answers, so it shows no verdicts on single rows.{where}"


def page(submission: Submission, filters: Filters, *, number: int, user: Any) -> Page[ShownVerdict]:
    """One page of verdicts, each with its public row under `row`.

    Args:
        submission: Whose verdicts.
        filters: Which of them.
        number: Of the page, from 1; where there are not so many, the last is shown.
        user: The reader, signed in or not.

    Returns:
        The page; empty before the first grading.

    Raises:
        storage.DamagedFileError: A stored file is missing or changed.
    """
    chosen_page: Page[Any] = Paginator(_selected(submission, filters) or [], PAGE_SIZE).get_page(number)
    rows = _shown(submission, chosen_page.object_list, user)
    _join_questions(submission, rows)
    chosen_page.object_list = rows
    return chosen_page


def batch(
    submission: Submission, filters: Filters, *, start: int, limit: int, user: Any, questions: bool
) -> tuple[list[ShownVerdict], int | None]:
    """Some verdicts, as `page` shows them.

    Args:
        submission: Whose verdicts.
        filters: Which of them.
        start: The file's row to begin at, from 0.
        limit: How many at most.
        user: The reader, signed in or not.
        questions: Whether to add each public row under `row`.

    Returns:
        The verdicts, and the file's row to go on from: None at the end.

    Raises:
        storage.DamagedFileError: A stored file is missing or changed.
    """
    selection = _selected(submission, filters)
    if selection is None:
        return [], None
    verdicts, following = selection.following(start, limit)
    rows = _shown(submission, verdicts, user)
    if questions:
        _join_questions(submission, rows)
    return rows, following


def _selected(submission: Submission, filters: Filters) -> Selection | None:
    """The verdicts under the filters; None before there are any."""
    if submission.score is None:
        return None
    file = files.opened(submission.score.verdicts_sha256)
    return file.select(filters.where(submission.version, file.splits))


def _redacted(version: Version, split: str) -> str:
    """How the split of a row may be named: by its name; on a sealed version by what the row shows."""
    return version.suite.form_of(split) if version.disclosure.hides_splits else split


def _shown(submission: Submission, verdicts: Iterable[Verdict], user: Any) -> list[ShownVerdict]:
    """The verdicts as a reader may see them; on a sealed version without their splits."""
    version = submission.version
    answers = disclosure.shows_answers(version, user)
    own = submission.is_open_to(user, permissions.VIEW_GOLD)
    return [_concealed(version, verdict, answers=answers, own=own) for verdict in verdicts]


def _concealed(version: Version, verdict: Verdict, *, answers: bool, own: bool) -> ShownVerdict:
    """Withheld gold stays withheld: the suite says what of a verdict gives it away, and to whom."""
    if version.disclosure.hides_splits:
        verdict = _unplaced(version.suite, verdict)
    visible = dict(verdict if answers else version.suite.redact(verdict, own=own))
    in_order = (*verdict, *visible)  # as the verdict has its fields, then what was added
    fields = {name: visible[name] for name in in_order if name in visible}
    words = {"label": label(verdict.get("failure") or "correct"), "concealed": not visible.keys() & ANSWERS}
    return cast(ShownVerdict, fields | words)


def _unplaced(suite: Suite, verdict: Verdict) -> Verdict:
    """The verdict without what tells more of its row's place than the public row does: which metrics count it, too."""
    hidden = {*suite.fields.placing, "figures"}
    kept = {name: value for name, value in verdict.items() if name not in hidden}
    return cast(Verdict, kept | {"condition": suite.form_of(verdict["condition"])})


def choices(submission: Submission) -> dict[str, list[tuple[str, str, int]]]:
    """What can be chosen: failures and splits with their counts."""
    failures = submission.score.failures if submission.score else {}
    splits = redacted_splits(submission.version)
    return {
        "failure": [
            (code, label(code), count) for code, count in sorted(failures.items(), key=lambda p: -p[1])
        ],
        "split": [(name, name, count) for name, count in splits.items()] if len(splits) > 1 else [],
    }


def redacted_splits(version: Version) -> dict[str, int]:
    """The splits by which single rows may be told apart, with their rows; on a sealed version what rows show."""
    if not version.disclosure.hides_splits:
        splits: dict[str, int] = version.conditions
        return splits
    forms: Counter[str] = Counter()
    for name, count in version.conditions.items():
        forms[version.suite.form_of(name)] += count
    return dict(forms)


def _join_questions(submission: Submission, rows: Iterable[ShownVerdict]) -> None:
    """Find the public rows of these verdicts. A public row may ask several questions.

    The frozen file has to be read from its beginning. Further on they are found in a copy of it, made the first time;
    so are all of a version whose texts lie in a file of their own, each cut to what a page shows of it.
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
    """Find rows near the beginning of the frozen file, reading no further than the last of them."""
    lines = storage.lines(version.rows_sha256) if unmatched else iter(())
    for line in islice(lines, NEAR):
        public = jsonl.parse(line)
        for row_id in version.suite.expected([public]).splits.keys() & unmatched.keys():
            unmatched.pop(row_id)["row"] = public
        if not unmatched:
            return
