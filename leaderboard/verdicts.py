"""Browse the verdicts of a graded submission: filter, page, and join each with its question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import QueryDict

from evaluation import jsonl
from leaderboard import storage
from leaderboard.models import Submission
from leaderboard.scorecards import label

PAGE_SIZE = 25


@dataclass(frozen=True, slots=True)
class Filters:
    """What of the rows to show. `failure` "any" means every failing row, "" all rows."""

    failure: str = "any"
    condition: str = ""
    text: str = ""

    @classmethod
    def read(cls, query: QueryDict) -> Filters:
        return cls(
            failure=query.get("failure", "any"), condition=query.get("condition", ""), text=query.get("q", "").strip()
        )

    def pass_row(self, row: dict[str, Any]) -> bool:
        if self.failure == "any" and not row.get("failure"):
            return False
        if self.failure not in ("any", "") and row.get("failure") != self.failure:
            return False
        if self.condition and row.get("condition", "") != self.condition:
            return False
        return not self.text or self.text.lower() in row["id"].lower()


def page(submission: Submission, filters: Filters, *, number: int) -> Page[dict[str, Any]]:
    """One page of verdicts, each with its public row under `row`."""
    score = submission.score
    chosen = [row for row in storage.rows(score.verdicts_sha256) if filters.pass_row(row)] if score else []
    found: Page[dict[str, Any]] = Paginator(chosen, PAGE_SIZE).get_page(number)
    _join_questions(submission, list(found.object_list))
    return found


def choices(submission: Submission) -> dict[str, list[tuple[str, str, int]]]:
    """What can be chosen: failures and conditions with their counts."""
    failures = submission.score.failures if submission.score else {}
    conditions = submission.version.conditions
    return {
        "failure": [(code, label(code), count) for code, count in sorted(failures.items(), key=lambda p: -p[1])],
        "condition": [(name, name, count) for name, count in conditions.items()] if len(conditions) > 1 else [],
    }


def _join_questions(submission: Submission, rows: list[dict[str, Any]]) -> None:
    """Find the public rows of these verdicts in the frozen file, reading no further than the last of them."""
    wanted = {row["id"]: row for row in rows}
    hide_gold = not submission.version.public_gold
    for row in rows:
        row["label"] = label(row.get("failure") or "correct")
        if hide_gold:
            row.pop("gold", None)
    for public in _public_rows(submission, len(wanted)):
        if public["id"] in wanted:
            wanted.pop(public["id"])["row"] = public
        if not wanted:
            return


def _public_rows(submission: Submission, count: int) -> Iterator[dict[str, Any]]:
    if not count:
        return
    for line in storage.lines(submission.version.rows_sha256):
        yield jsonl.parse(line)
