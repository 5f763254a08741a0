"""Fixtures: similar files, and sending them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from evaluation.core import jsonl
from leaderboard.benchmarks import seeding
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.rows import reading
from leaderboard.runs import services as runs
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System

Lines = list[dict[str, Any]]
Send = Callable[..., Submission]


def lines_of(version: Version, executor: str) -> Lines:
    """The answers of a system of the engine."""
    runner = version.suite.systems()[executor].build()
    return [dict(runner.predict(row)) for row in reading.rows_of(version)]


def spoilt(lines: Lines, rows: Iterable[int], how: str = "spoilt") -> Lines:
    """The same answers with wrong ones in these rows, each another value."""
    chosen = set(rows)
    return [
        line | {"value": f"{how}-{number}"} if number in chosen else line for number, line in enumerate(lines)
    ]


def noisy(lines: Lines, hard: Iterable[int], *, seed: int) -> Lines:
    """An honest system: right but in the hard rows, which it answers by luck."""
    luck = random.Random(seed)
    values = sorted({str(line["value"]) for line in lines})
    chosen = set(hard)
    return [
        line | {"value": luck.choice(values)} if number in chosen and luck.random() < 0.95 else line
        for number, line in enumerate(lines)
    ]


@pytest.fixture
def send(tmp_path: Path) -> Send:
    """Submit and grade lines for an account, under a system of this name."""

    def sent(
        version: Version, account: Any, lines: Lines, name: str = "Retriever", **fields: Any
    ) -> Submission:
        jsonl.write(tmp_path / "lines.jsonl", lines)
        system = System.objects.get_or_create(owner=account, name=name)[0]
        accepted = submissions.accept(version, tmp_path / "lines.jsonl")
        made = submissions.create(accepted, system=system, submitter=account, **fields)
        assert submissions.grade(str(made.pk))
        return Submission.objects.with_names().get(pk=made.pk)

    return sent


@pytest.fixture
def run_reference(db: None) -> Callable[[Version, str], Submission]:
    """Runs a reference system, as the site's own account does."""

    def run(version: Version, executor: str) -> Submission:
        started = runs.start(
            version=version, executor=executor, started_by=seeding.site_user(), wake_worker=False
        )
        assert runs.execute(str(started.pk))
        started.refresh_from_db()
        assert submissions.grade(str(started.submission_id))
        return Submission.objects.with_names().get(pk=started.submission_id)

    return run
