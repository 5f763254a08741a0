"""Browse the verdicts of a graded submission: filter, page, and join each with its question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import QueryDict

from evaluation.core import jsonl
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission
from leaderboard.submissions.score_tables import label

PAGE_SIZE = 25
#: What of a verdict is the answer that was given.
ANSWERS = frozenset({"value", "response", "prediction"})


@dataclass(frozen=True, slots=True)
class Filters:
    """What of the rows to show. `failure` "any" means every failing row, "" all rows."""

    failure: str = "any"
    condition: str = ""
    text: str = ""

    @classmethod
    def read(cls, query: QueryDict) -> Filters:
        return cls(
            failure=query.get("failure", "any"),
            condition=query.get("condition", ""),
            text=query.get("q", "").strip(),
        )

    def pass_row(self, row: dict[str, Any]) -> bool:
        if self.failure == "any" and not row.get("failure"):
            return False
        if self.failure not in ("any", "") and row.get("failure") != self.failure:
            return False
        if self.condition and row.get("condition", "") != self.condition:
            return False
        return not self.text or self.text.lower() in row["id"].lower()


def page(submission: Submission, filters: Filters, *, number: int, own: bool) -> Page[dict[str, Any]]:
    """One page of verdicts, each with its public row under `row`. `own`: for its submitter, or who may see gold."""
    chosen = [row for row in _verdicts(submission) if filters.pass_row(row)]
    found: Page[dict[str, Any]] = Paginator(chosen, PAGE_SIZE).get_page(number)
    rows = list(found.object_list)
    _conceal(submission, rows, own=own)
    _join_questions(submission, rows)
    return found


def batch(
    submission: Submission, filters: Filters, *, start: int, limit: int, own: bool, questions: bool
) -> tuple[list[dict[str, Any]], int | None]:
    """Up to `limit` verdicts from the file's line `start` on, as `page` shows them, and the line to go on from."""
    found: list[dict[str, Any]] = []
    following = None
    for number, row in enumerate(_verdicts(submission)):
        if number < start or not filters.pass_row(row):
            continue
        if len(found) == limit:
            following = number
            break
        found.append(row)
    _conceal(submission, found, own=own)
    if questions:
        _join_questions(submission, found)
    return found, following


def _verdicts(submission: Submission) -> Iterator[dict[str, Any]]:
    """The verdicts, which on a sealed version name what a row shows and not its condition."""
    version, score = submission.version, submission.score
    rows = storage.rows(score.verdicts_sha256) if score else iter(())
    return map(version.suite.unplaced, rows) if version.disclosure.hides_conditions else rows


def _conceal(submission: Submission, rows: list[dict[str, Any]], *, own: bool) -> None:
    """Withheld gold stays withheld: the suite says what of a verdict gives it away, and to whom."""
    version = submission.version
    for row in rows:
        row["label"] = label(row.get("failure") or "correct")
        told = row if version.public_gold else version.suite.redact(row, own=own)
        for name in row.keys() - told.keys() - {"label"}:
            del row[name]
        row.update(told)
        row["concealed"] = not row.keys() & ANSWERS


def choices(submission: Submission) -> dict[str, list[tuple[str, str, int]]]:
    """What can be chosen: failures and conditions with their counts."""
    failures = submission.score.failures if submission.score else {}
    conditions = tellable_conditions(submission.version)
    return {
        "failure": [
            (code, label(code), count) for code, count in sorted(failures.items(), key=lambda p: -p[1])
        ],
        "condition": [(name, name, count) for name, count in conditions.items()]
        if len(conditions) > 1
        else [],
    }


def tellable_conditions(version: Version) -> dict[str, int]:
    """By what single rows may be told apart, with their number: conditions; on a sealed version what rows show."""
    if not version.disclosure.hides_conditions:
        conditions: dict[str, int] = version.conditions
        return conditions
    forms: Counter[str] = Counter()
    for name, count in version.conditions.items():
        forms[version.suite.form_of(name)] += count
    return dict(forms)


def _join_questions(submission: Submission, rows: list[dict[str, Any]]) -> None:
    """Find the public rows of these verdicts in the frozen file, reading no further than the last of them.

    A public row may ask several questions; the suite says which ids it stands for.
    """
    wanted = {row["id"]: row for row in rows}
    expected = submission.version.suite.expected
    for public in _public_rows(submission, len(wanted)):
        for row_id in expected([public]).conditions.keys() & wanted.keys():
            wanted.pop(row_id)["row"] = public
        if not wanted:
            return


def _public_rows(submission: Submission, count: int) -> Iterator[dict[str, Any]]:
    if not count:
        return
    for line in storage.lines(submission.version.rows_sha256):
        yield jsonl.parse(line)
