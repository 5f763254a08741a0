"""A run's exchanges with its model are stored with its submission, and shown if the answers are open."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from benchsite.model_servers import ModelServer
from evaluation.goldevidence.adapters.prompts import bare_question
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.rows import reading
from leaderboard.runs import execution
from leaderboard.runs import services as runs
from leaderboard.submissions import transcripts
from leaderboard.submissions.models import Submission
from tests.evaluation.adapters.server import Server, serving
from tests.leaderboard.callers import Caller
from tests.leaderboard.runs.running import again

SECRET = "The fourth line looks right to me."
SAID = "I take <teal-0123> for it."


def replied(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    message = {"content": SAID, "reasoning_content": SECRET}
    usage = {"prompt_tokens": 1234, "completion_tokens": 56}
    return 200, {
        "choices": [{"message": message, "finish_reason": "stop"}],
        "model": "qwen-72b",
        "usage": usage,
    }


@pytest.fixture
def answered(settings: Any, staff: Any) -> Iterator[Callable[..., Submission]]:
    """A submission of a run that asked a server about every row of a version."""
    with serving(Server(None, script=replied)) as server:
        settings.MODEL_SERVERS = {"house": ModelServer(server.url)}

        def make(version: Any, **more: Any) -> Submission:
            values = {"probe": False, "check_prompt": False}
            run = runs.start(
                version=version,
                executor="adapter:openai_compatible",
                started_by=staff,
                values=values,
                go_on=True,
                **more,
            )
            assert runs.execute(str(run.pk), grade_now=True), again(run).error
            assert not list(execution.path_of(run).parent.glob(f"{run.pk}*")), "the submission has it all"
            return Submission.objects.with_names().get(pk=again(run).submission.pk)

        yield make


def addresses(submission: Submission, row_id: str) -> list[str]:
    page = submission.get_absolute_url()
    api = f"/api/v1/submissions/{submission.pk}/transcript?row={row_id}"
    return [f"{page}transcript/?id={row_id}", f"{page}transcripts.jsonl.gz", api]


def test_prompt_and_reply_of_a_row_can_be_read_where_the_answers_are_open(
    small: Any, answered: Any, settings: Any, client: Client, anybody: Caller
) -> None:
    submission = answered(small)
    settings.MODEL_SERVERS = {}  # no server is asked for the prompt
    rows = list(reading.rows_of(small))
    page, file, api = addresses(submission, rows[0]["id"])
    text = client.get(page).content.decode()
    assert "I take &lt;teal-0123&gt; for it." in text
    assert SECRET in text
    assert rows[0]["question"].splitlines()[0] in text
    for words in ("unreadable", "1,234", "qwen-72b", "finish reason"):
        assert words in text
    got = anybody("GET", api.removeprefix("/api/v1")).json()
    assert (got["reply"], got["reasoning"], got["state"], got["prompt_problem"]) == (
        SAID,
        SECRET,
        "unreadable",
        "",
    )
    assert bare_question(rows[0]["question"]) in got["prompt"]["user"]
    lines = [json.loads(line) for line in gzip.decompress(client.get(file).getvalue()).splitlines()]
    assert {line["id"] for line in lines} == {row["id"] for row in rows}
    listed = client.get(f"{submission.get_absolute_url()}rows/").content.decode()
    assert listed.count("I take &lt;teal-0123&gt; for it.") == min(len(rows), 25)
    whole = client.get(submission.get_absolute_url()).content.decode()
    assert file in whole
    assert f"<b>{len(rows)}</b> unreadable" in whole
    assert anybody("GET", f"/submissions/{submission.pk}").json()["transcripts_url"].endswith(file)
    for wrong in (page + "x", api + "x"):
        assert client.get(wrong).status_code == 404


def test_a_row_whose_prompt_would_be_another_one_now_shows_the_reply_alone(
    small: Any, answered: Any, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = answered(small, row_limit=2)
    assert not submission.is_public
    client.force_login(submission.submitter)
    row = next(reading.rows_of(small))
    monkeypatch.setattr("evaluation.goldevidence.adapters.prompts.Prompts.system", "Other words.")
    text = client.get(addresses(submission, row["id"])[0]).content.decode()
    assert "cannot be rebuilt exactly" in text
    assert "Other words." not in text
    assert "teal-0123" in text
    client.logout()
    for address in addresses(submission, row["id"]):
        assert client.get(address).status_code == 404, "it is private"


def test_a_sealed_version_shows_neither_until_it_is_retired(
    make_version: Any, answered: Any, client: Client, staff: Any, user: Any
) -> None:
    version = make_version(name="sealed", sealed=True)
    submission = answered(version)
    assert submission.transcripts_sha256
    row_id = next(reading.rows_of(version))["id"]
    page = submission.get_absolute_url()
    for reader in (None, user, staff, submission.submitter):
        if reader is not None:
            client.force_login(reader)
        for address in addresses(submission, row_id):
            response = client.get(address)
            assert response.status_code == 403
            assert "teal-0123" not in response.content.decode()
        api = f"/api/v1/submissions/{submission.pk}"
        for address in (page, f"{page}rows/", api, f"{api}/rows"):
            body = client.get(address).content.decode()
            assert "teal-0123" not in body
            assert SECRET not in body
            assert "transcripts.jsonl" not in body
    version.retire()
    client.logout()
    shown, file, api = (client.get(address) for address in addresses(submission, row_id))
    assert b"teal-0123" in shown.content
    assert b"teal-0123" in api.content
    assert b"teal-0123" in gzip.decompress(file.getvalue())


def test_the_operator_says_what_is_kept(small: Any, answered: Any, settings: Any) -> None:
    settings.TRANSCRIPTS = "lengths"
    submission = answered(small, row_limit=1)
    [line] = list(storage.rows(submission.transcripts_sha256))
    assert (line["reasoning_chars"], "reasoning" in line) == (len(SECRET), False)
    settings.TRANSCRIPTS = "off"
    assert answered(small, row_limit=1).transcripts_sha256 == ""


def test_transcripts_go_with_the_last_submission_that_names_them(
    small: Any, answered: Any, django_capture_on_commit_callbacks: Any
) -> None:
    submission = answered(small, row_limit=1)
    sha256 = submission.transcripts_sha256
    row_id = next(reading.rows_of(small))["id"]
    assert transcripts.find(submission, {row_id, "nobody"}).keys() == {row_id}
    twin = Submission.objects.get(pk=submission.pk)
    twin.pk = "00000000-0000-4000-8000-000000000000"
    twin.save(force_insert=True)
    with django_capture_on_commit_callbacks(execute=True):
        submission.delete()
    assert storage.exists(sha256)
    with django_capture_on_commit_callbacks(execute=True):
        twin.delete()
    assert not storage.exists(sha256)


def test_a_deterministic_run_has_none(small: Any, staff: Any, client: Client) -> None:
    run = runs.start(version=small, executor="ledger", started_by=staff)
    assert runs.execute(str(run.pk), grade_now=True)
    submission = again(run).submission
    assert submission.transcripts_sha256 == ""
    row_id = next(reading.rows_of(small))["id"]
    assert [client.get(address).status_code for address in addresses(submission, row_id)] == [404] * 3
