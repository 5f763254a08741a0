"""A tiny ladder, and systems that break at a length."""

from __future__ import annotations

import pytest

from evaluation.core import jsonl
from evaluation.goldevidence.generator.fields import LATEST_REVISION
from leaderboard.benchmarks import expected_ids
from leaderboard.benchmarks.rows import reading
from leaderboard.boards.placements import computing
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import System
from tests.leaderboard.taking_part import taking_part

LENGTHS = {"1k": 1024, "2k": 2048, "4k": 4096}
LADDER = {"lengths": list(LENGTHS.values()), "writes": [4], "depths": [0.3, 0.7], "shares": [0.5]}
GENERATOR = {
    "episodes": 10,
    "keys": 4,
    "queries": 4,
    "chapters": 2,
    "twins": False,
    "revision": LATEST_REVISION,
}


@pytest.fixture
def ladder(make_version):
    """Ten episodes, each in texts of three lengths."""
    return make_version(name="ladder", generator=GENERATOR, protocol="open", ladder=LADDER)


@pytest.fixture
def send(tmp_path):
    """Submits a system that is right up to some length, beyond it wrong in one row of `every`, and grades it."""

    def make(version, system: System, *, holds: int = 10**9, every: int = 1, answers: int = 10**9, **fields):
        runner = version.suite.systems()["ledger"].build()
        splits, predictions = expected_ids.expected_rows(version).splits, []
        for at, row in enumerate(reading.rows_of(version)):
            prediction = runner.predict(row)
            tokens = LENGTHS[splits[prediction["id"]]]
            if tokens > holds and at % every == 0:
                prediction["value"] = "spoilt"
            if tokens <= answers:
                predictions.append(prediction)
        jsonl.write(tmp_path / "sent.jsonl", predictions)
        accepted = submissions.accept(version, tmp_path / "sent.jsonl", partial=answers < 10**9)
        made = taking_part(submissions.create(accepted, system=system, submitter=system.owner, **fields))
        assert submissions.grade(str(made.pk))
        computing.store(version)
        return made

    return make


@pytest.fixture
def named(user):
    """A system by its name."""

    def make(name: str, **fields) -> System:
        return System.objects.create(owner=user, name=name, **fields)

    return make
