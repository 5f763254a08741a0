"""Every published figure can be computed again from what the site publishes, and a changed one is found."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from django.contrib.auth.models import Permission
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.test import Client as Browser

from evaluation.remote.client import Client, ClientError
from evaluation.remote.reproduction import CannotError, reproduce
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Score, Submission, System
from tests.leaderboard.conftest import RANKED
from tests.leaderboard.flows.test_version_headline import SETTINGS

Submit = Callable[..., Submission]


def client_of(browser: Browser) -> Client:
    """The client of the engine, whose requests Django answers in this process."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        path = request.url.raw_path.decode()
        answered = browser.generic(request.method, path, request.read(), headers=dict(request.headers))
        content = b"".join(answered.streaming_content) if answered.streaming else answered.content
        return httpx2.Response(answered.status_code, content=content, headers=dict(answered.items()))

    return Client("http://testserver", transport=httpx2.MockTransport(answer))


@pytest.fixture
def site(client: Browser) -> Client:
    return client_of(client)


@pytest.fixture
def board(ranked_version: Version, user: Any, submit: Submit) -> list[Submission]:
    """Three systems with ranks, one of which answers a third wrong."""
    systems = [System.objects.create(owner=user, name=name) for name in ("A", "B", "C")]
    return [submit(ranked_version, each, wrong=10 * number) for number, each in enumerate(systems)]


def outcome(site: Client, submission: Submission) -> dict[str, bool]:
    _, checks, _ = reproduce(site, str(submission.pk))
    return {check.name: check.equal for check in checks}


def test_figure_interval_and_ranks_come_out_equal(site: Client, board: list[Submission]) -> None:
    names = ["interval", "marks by unit", "ranks"]
    for submission in board:
        _, checks, why = reproduce(site, str(submission.pk))
        assert why == ""
        assert [check.name for check in checks[1:]] == names
        assert all(check.equal for check in checks), checks
    assert len({check.computed for check in checks}) == 4


def test_a_changed_score_a_changed_file_and_a_moved_rank_are_found(
    site: Client, board: list[Submission]
) -> None:
    score = board[1].score
    assert score is not None
    Score.objects.filter(pk=score.pk).update(headline=(score.headline or 0) + 1e-9)
    assert [name for name, equal in outcome(site, board[1]).items() if not equal] == ["exact_acc"]

    units = bytearray(score.unit_scores)
    units[:4] = struct.pack("<f", 2.0)  # of the first unit, whose answers are wrong
    Score.objects.filter(pk=score.pk).update(headline=score.headline, unit_scores=bytes(units))
    assert not outcome(site, board[1])["marks by unit"]

    name = storage.name_of(board[2].file_sha256)
    with storages["artifacts"].open(name) as file:
        lines = gzip.decompress(file.read()).replace(b"spoilt", b"better")
    storages["artifacts"].delete(name)
    storages["artifacts"].save(name, ContentFile(gzip.compress(lines)))
    assert outcome(site, board[2]) == {"SHA-256 of the predictions": False}


def test_the_lowest_of_several_rates_comes_out_equal(
    site: Client, make_version: Any, user: Any, submit: Submit
) -> None:
    version = make_version(name="ordered", **SETTINGS, headline="worst_order")
    for name in ("latest_step", "positional_last"):
        submission = submit(version, System.objects.create(owner=user, name=name), executor=name)
        assert all(outcome(site, submission).values()), submission


def test_the_mean_of_repeats_comes_out_equal(site: Client, board: list[Submission], submit: Submit) -> None:
    system = System.objects.create(owner=board[0].submitter, name="Twice")
    for wrong in (6, 13):
        submit(board[0].version, system, wrong=wrong, declared=True, repeats=2)
    mean = Submission.objects.get(source=Submission.Source.MEAN)
    assert mean.score is not None
    assert len(outcome(site, mean)) >= 2
    assert all(outcome(site, mean).values())


def test_a_sealed_figure_is_computed_from_marks_by_who_may_see_them_and_once_it_is_retired_by_all(
    client: Browser, make_version: Any, user: Any, staff: Any, submit: Submit
) -> None:
    version = make_version(name="sealed", generator=RANKED, sealed=True)
    made = [
        submit(version, System.objects.create(owner=user, name=name), wrong=wrong, declared=declared)
        for name, wrong, declared in (("A", 0, True), ("B", 30, True), ("C", 60, False))
    ]
    for stranger in (Browser(), client):
        with pytest.raises(CannotError, match="keeps its answers"):
            reproduce(client_of(stranger), str(made[1].pk))
        with pytest.raises(ClientError, match="keeps its answers"):
            list(client_of(stranger).items("/leaderboard/goldevidencebench/sealed/marks", type(made[0])))
        client.force_login(user)  # not to its owner either
    staff.user_permissions.add(Permission.objects.get(codename="view_gold"))
    client.force_login(staff)
    for submission in made:
        assert all(outcome(client_of(client), submission).values()), submission
    version.retire()
    for submission in made:
        assert all(outcome(client_of(Browser()), submission).values()), submission
