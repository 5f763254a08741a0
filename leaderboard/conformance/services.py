"""Conformance reports: runs of our own implementation, and uploads of accounts."""

from __future__ import annotations

import time
from datetime import timedelta
from functools import cache
from itertools import groupby
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone

from evaluation.statebench.conformance.requirements import Requirement, credit
from evaluation.statebench.conformance.suite import OURS, fingerprint, report, run_conformance
from evaluation.statebench.conformance.vectors import builtin
from leaderboard.accounts import permissions, usernames
from leaderboard.conformance import intake
from leaderboard.conformance.models import ConformanceReport
from leaderboard.jobs import checking
from leaderboard.submissions.models import System
from leaderboard.submissions.quotas import QuotaError, new_system
from leaderboard.web.formatting import minute

#: The strategy of our own implementation.
OWN_SYSTEM = "state_based"
REPORTS_PER_DAY = 50  # per account
#: Letters of a requirement's id -> its group on a page. Neighbours of the same group share a card.
GROUPS = {
    "L": "Layers",
    "S": "Supersession",
    **dict.fromkeys(("M", "C", "SC", "SP"), "Memory, constraints, scope, speech"),
    **dict.fromkeys(("W", "R", "P"), "Writing, reading, permission"),
    "D": "Detection",
    **dict.fromkeys(("Q", "TU"), "Context and budget"),
    **dict.fromkeys(("T", "A", "K"), "Tests, anti-patterns, checklist"),
}


def run(*, by: Any = None) -> ConformanceReport:
    """Check our own implementation and store the report, unless another worker stored one meanwhile."""
    started, before = time.perf_counter(), newest_own()
    own_report = report(run_conformance(), implementation=OURS, vectors_sha256=vectors_sha256())
    own = System.objects.filter(owner__service_account__purpose=usernames.SITE, name=OWN_SYSTEM).first()
    seconds = time.perf_counter() - started
    values = intake.slim(own_report)
    with transaction.atomic():
        if (newest := newest_own()) is not None and newest != before:
            return newest
        return ConformanceReport.objects.create(
            **values, system=own, verified=True, added_by=by, seconds=seconds
        )


@cache
def vectors_sha256() -> str:
    return fingerprint(builtin())


def receive(data: bytes, *, system: str, by: Any, owner: Any = None) -> tuple[ConformanceReport, bool]:
    """Store a system's report unless it equals the newest one. Returns the report and whether it is new.

    Args:
        owner: Account of the team that owns the system; by default the sender's own account, `by`.

    Raises:
        intake.ReportError: The report or the name of the new system is invalid.
        QuotaError: The day's reports are used up.
        checking.BusyError: Another file of the account is being checked, or the site checks too many.
    """
    with checking.slot(by):
        values = intake.slim(intake.read(data))
    with transaction.atomic():
        # lock the account: concurrent reports must not exceed the quota or add a system twice
        get_user_model().objects.select_for_update(no_key=True).get(pk=by.pk)
        mine = System.objects.filter(owner=owner or by)
        named_system = mine.called(system).first()
        newest = named_system.conformance_reports.first() if named_system else None
        if newest is not None and all(getattr(newest, name) == value for name, value in values.items()):
            return newest, False
        if named_system is None and (text := usernames.system_problem(system)):
            raise intake.ReportError(text)
        _charge(by)
        named_system = named_system or new_system(by, owner=owner, name=system, kind=System.Kind.STRATEGY)
        return ConformanceReport.objects.create(**values, system=named_system, added_by=by), True


class RequirementLines(Requirement):
    """A requirement with its evidence as lines. `credit` tells how many of the requirement's vectors passed."""

    lines: list[str]
    credit: str


def groups(report: ConformanceReport) -> list[tuple[str, list[RequirementLines]]]:
    """Titles of the groups of requirements, each with the report's results for the group's requirements."""
    titles = groupby(report.judged, key=lambda row: _group(row["id"]))
    return [
        (title, [{**row, "lines": _lines(row), "credit": credit(row)} for row in rows])
        for title, rows in titles
    ]


def _group(requirement: str) -> str:
    letters = requirement.rstrip("0123456789")
    return GROUPS.get(letters, letters)


def _lines(row: Requirement) -> list[str]:
    """Split the evidence of a requirement into lines; a failed requirement uses another separator."""
    evidence = row["evidence"]
    return evidence.split(" | " if row["passed"] is False else "; ") if evidence else []


def newest_own() -> ConformanceReport | None:
    return ConformanceReport.objects.filter(verified=True).defer("vectors").first()


def own_is_current() -> bool:
    """True if our own implementation was checked with the vectors and checks of this release."""
    own = newest_own()
    return own is not None and own.vectors_sha256 == vectors_sha256() and own.is_of_this_suite


def _charge(user: Any) -> None:
    """Raise QuotaError if the user may not send another report now. Call it while holding the account's lock."""
    since = timezone.now() - timedelta(days=1)
    mine = ConformanceReport.objects.filter(added_by=user, verified=False, created_at__gt=since)
    times = list(mine.order_by("created_at").values_list("created_at", flat=True))
    if len(times) < REPORTS_PER_DAY or permissions.may(user, permissions.EXCEED_QUOTA):
        return
    frees_at = times[len(times) - REPORTS_PER_DAY] + timedelta(days=1)
    raise QuotaError(
        f"You have sent {len(times)} of {REPORTS_PER_DAY} conformance reports within 24 hours. "
        f"The next one is possible at {minute(frees_at)}.",
        retry_after=max(1, int((frees_at - timezone.now()).total_seconds())),
    )
