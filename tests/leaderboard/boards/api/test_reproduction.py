"""Every published figure can be computed again from published data, and a changed one is found."""

from __future__ import annotations

import gzip
import hashlib
import json
import struct
import sys
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from django.contrib.auth.models import Permission
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.test import Client as Browser

from evaluation.cli import main
from evaluation.remote.client import Client, ClientError
from evaluation.remote.receipts import check_receipt
from evaluation.remote.records import Basis
from evaluation.remote.reproduction import CannotError, reproduce
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version
from leaderboard.runs import model_files
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from leaderboard.runs.shipped import folders
from leaderboard.submissions import receipts
from leaderboard.submissions.models import Receipt, Score, SigningKey, Submission, System
from tests.leaderboard.conftest import RANKED
from tests.leaderboard.flows.test_version_headline import SETTINGS

Submit = Callable[..., Submission]
MODELS = folders.SHIPPED.parent / "models"


def client_of(browser: Browser) -> Client:
    """The engine's client, with requests answered by Django in this process."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        path = request.url.raw_path.decode()
        answered = browser.generic(request.method, path, request.read(), headers=dict(request.headers))
        content = b"".join(answered.streaming_content) if answered.streaming else answered.content
        return httpx2.Response(answered.status_code, content=iter([content]), headers=dict(answered.items()))

    return Client("http://testserver", transport=httpx2.MockTransport(answer))


@pytest.fixture
def site(client: Browser) -> Client:
    return client_of(client)


@pytest.fixture
def board(ranked_version: Version, user: Any, submit: Submit) -> list[Submission]:
    """Three systems with ranks, one of them wrong in a third of the rows."""
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


def test_a_sealed_figure_is_computed_from_marks_with_view_gold_and_by_all_once_retired(
    client: Browser, make_version: Any, user: Any, staff: Any, submit: Submit
) -> None:
    version = make_version(name="sealed", generator=RANKED, sealed=True)
    made = [
        submit(version, System.objects.create(owner=user, name=name), wrong=wrong, declared=declared)
        for name, wrong, declared in (("A", 0, True), ("B", 30, True), ("C", 60, False))
    ]
    for stranger in (Browser(), client):
        with pytest.raises(CannotError, match="would reveal the answers"):
            reproduce(client_of(stranger), str(made[1].pk))
        with pytest.raises(ClientError, match="would reveal the answers"):
            list(client_of(stranger).items("/leaderboard/goldevidencebench/sealed/marks", type(made[0])))
        client.force_login(user)  # not to its owner either
    staff.user_permissions.add(Permission.objects.get(codename="view_gold"))
    client.force_login(staff)
    for submission in made:
        assert all(outcome(client_of(client), submission).values()), submission
    version.retire()
    for submission in made:
        assert all(outcome(client_of(Browser()), submission).values()), submission


def basis_of(site: Client, submission: Submission) -> Basis:
    return site.get(f"/submissions/{submission.pk}/reproduction", Basis)


def test_a_receipt_is_verified_by_the_keys_of_the_site_and_beside_what_the_site_says(
    site: Client, board: list[Submission]
) -> None:
    basis = basis_of(site, board[1])
    assert check_receipt(site, basis) == (None, "the site has not signed this score")
    receipts.rotate()
    assert all(check_receipt(site, basis_of(site, each)) == (True, "") for each in board)

    Score.objects.filter(receipt__isnull=False, submission=board[1]).update(headline=0.125)  # not signed
    verified, why = check_receipt(site, basis_of(site, board[1]))
    assert verified is False
    assert why.endswith("and 0.125 on the site")

    envelope = Receipt.objects.get(score=board[2].score).envelope
    Receipt.objects.filter(score=board[1].score).update(envelope=envelope)
    assert check_receipt(site, basis)[1].startswith("submission is ")
    Receipt.objects.filter(score=board[1].score).update(envelope=envelope | {"payload": "e30="})
    assert check_receipt(site, basis)[1].startswith("none of the given keys signed this receipt")


def test_the_receipt_of_a_sealed_score_and_that_of_a_mean_are_verified(
    client: Browser, make_version: Any, user: Any, staff: Any, submit: Submit, board: list[Submission]
) -> None:
    receipts.rotate()
    version = make_version(name="sealed", generator=RANKED, sealed=True)
    sealed = submit(version, System.objects.create(owner=user, name="S"), wrong=7, declared=True)
    system = System.objects.create(owner=user, name="Twice")
    for wrong in (6, 13):
        submit(board[0].version, system, wrong=wrong, declared=True, repeats=2)
    for score in Score.objects.filter(receipt=None):
        receipts.sign(score, SigningKey.objects.get())  # on commit
    staff.user_permissions.add(Permission.objects.get(codename="view_gold"))
    client.force_login(staff)
    site = client_of(client)
    for submission in (sealed, Submission.objects.get(source=Submission.Source.MEAN)):
        assert check_receipt(site, basis_of(site, submission)) == (True, "")


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch, client: Browser, capsys: Any) -> Callable[..., tuple[int, str, str]]:
    """`goldevidencebench reproduce` of a submission of this site: exit code, standard output, standard error."""
    monkeypatch.setattr("evaluation.remote.client.Client", lambda url, token: client_of(client))

    def run(submission: Submission, *words: str) -> tuple[int, str, str]:
        code = main(["reproduce", f"http://testserver/submissions/{submission.pk}/", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_the_command_says_of_the_receipt_whether_it_is_verified(ran: Any, board: list[Submission]) -> None:
    assert "receipt not checked: the site has not signed this score" in ran(board[1])[1]
    receipts.rotate()
    code, out, _ = ran(board[1])
    assert (code, "receipt verified" in out) == (0, True)
    assert json.loads(ran(board[1], "--json")[1])["receipt"] == {"verified": True, "why": ""}
    other = Receipt.objects.get(score=board[2].score).envelope
    Receipt.objects.filter(score=board[1].score).update(envelope=other)
    code, out, err = ran(board[1])
    assert (code, "NO" in out) == (1, False), "the figures are right, and the receipt is another's"
    assert err.startswith("The receipt does not match: submission is ")


def test_without_the_extra_the_receipt_is_not_checked_and_the_command_says_why(
    ran: Any, board: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    receipts.rotate()
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric", None)
    code, out, _ = ran(board[1])
    assert (code, "receipt not checked: Receipts need cryptography: pip install" in out) == (0, True)


def test_an_upload_cannot_be_run_again(ran: Any, board: list[Submission]) -> None:
    code, out, err = ran(board[1], "--rerun", "3")
    assert (code, out) == (2, "")
    assert "not made by a run of a local model file" in err
    assert "--model needs --rerun N" in ran(board[1], "--model", "x.gguf")[2]


@pytest.mark.llama
def test_rows_of_a_run_are_answered_again_by_its_model_and_by_no_other(
    ran: Any, small: Version, staff: Any, settings: Any
) -> None:
    settings.MODELS_DIR = MODELS
    model = model_files.register("gym-order.gguf", by=staff)
    values: dict[str, Any] = {"mode": "select", "prompt": "ruled@1", "truncation": "none", "threads": 1}
    run = runs.start(
        version=small, executor="adapter:llama_cpp", model_file=model, started_by=staff, values=values
    )
    runs.execute(str(run.pk), grade_now=True)
    made = Run.objects.get(pk=run.pk).submission
    assert made is not None

    asked = ("--rerun", "5", "--model")
    code, out, _ = ran(made, *asked, str(MODELS / "gym-order.gguf"))
    assert code == 0
    assert "5 of 5 rows answered again have the same prediction" in out

    other = MODELS / "gym-last.gguf"
    code, out, err = ran(made, *asked, str(other))
    assert (code, out) == (2, "")
    assert "is a different model" in err
    assert "gym-order.gguf, SHA-256" in err
    assert "--rerun needs the run's model: --model FILE (gym-order.gguf" in ran(made, "--rerun", "5")[2]
    assert "no file none.gguf" in ran(made, *asked, "none.gguf")[2]

    told = made.provenance["model"] | {"sha256": hashlib.sha256(other.read_bytes()).hexdigest()}
    Submission.objects.filter(pk=made.pk).update(provenance=made.provenance | {"model": told})
    code, out, err = ran(made, *asked, str(other), "--json")
    found = json.loads(out)["rerun"]
    assert (code, found["rows"]) == (1, 5)
    assert found["different"]

    hostile = (
        made.provenance | {"executor": "os:getcwd"},
        made.provenance | {"settings": {"url": "http://elsewhere"}},
    )
    for provenance in hostile:
        Submission.objects.filter(pk=made.pk).update(provenance=provenance)
        code, _, err = ran(made, *asked, str(MODELS / "gym-order.gguf"))
        assert code == 2
        assert "names code or a server to use, which a site may not choose" in err
