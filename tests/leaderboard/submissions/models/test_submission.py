"""The headline of a submission has one source: all readers get the same, or that it is not reported."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.urls import reverse

from evaluation.remote import options
from evaluation.remote.records import Submission as Answer
from leaderboard.boards.sharing import cards
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from leaderboard.submissions.models import Score, Submission, System
from leaderboard.web.formatting import number
from tests.leaderboard.conftest import RANKED

#: What the stored headline is set to where a reader has to leave it out: no other figure is like it.
HIDDEN = 0.12345
API = "/api/v1/submissions"

Make = Callable[[], Submission]


@pytest.fixture
def of_kind(make_version: Any, submit: Any, system: System, staff: Any) -> dict[str, Make]:
    """Functions that make a submission of each kind."""

    def by_run(version: Any, executor: str, **part: Any) -> Submission:
        run = runs.start(version=version, executor=executor, started_by=staff, **part)
        assert runs.execute(str(run.pk), grade_now=True), Run.objects.get(pk=run.pk).error
        return Submission.objects.with_names().get(run=run)

    def hidden(made: Submission, **changes: Any) -> Submission:
        score = Score.objects.get(submission=made)
        score.headline, score.metrics[made.version.headline.name] = HIDDEN, HIDDEN
        for name, value in changes.items():
            setattr(score, name, value)
        score.save()
        made.events.filter(kind="graded").update(detail=f"{HIDDEN:.3f} (an older release)")
        return Submission.objects.with_names().get(pk=made.pk)

    return {
        "an ordinary one": lambda: submit(make_version(), system, wrong=2),
        "a trial": lambda: by_run(make_version(), "last_mention", row_limit=6),
        "a trial of an older release": lambda: hidden(
            by_run(make_version(), "last_mention", row_limit=6), asked=None
        ),
        "a kind that is not ranked": lambda: hidden(by_run(make_version("statebench"), "state_based")),
        "a sealed one that was not declared": lambda: submit(
            make_version(name="kept", sealed=True, generator=RANKED), system, wrong=7
        ),
    }


KINDS = (
    "an ordinary one",
    "a trial",
    "a trial of an older release",
    "a kind that is not ranked",
    "a sealed one that was not declared",
)


@pytest.fixture(params=KINDS)
def made(request: pytest.FixtureRequest, of_kind: dict[str, Make]) -> Submission:
    return of_kind[request.param]()


@pytest.fixture
def reader(client: Any, made: Submission) -> Any:
    """A client that may see all of it but the gold."""
    superuser = get_user_model().objects.create_superuser("root", "root@example.org", "a long passphrase")
    client.force_login(superuser)
    return client


def answers(reader: Any, made: Submission) -> Iterator[tuple[str, float | None]]:
    """(place, headline) in the API and in files."""
    one = reader.get(f"{API}/{made.pk}").json()
    yield "detail", one["headline"]["value"]
    (listed,) = [each for each in reader.get(API).json()["items"] if each["id"] == str(made.pk)]
    yield "list", listed["headline"]["value"]
    assert (one["trial"] is not None) == (listed["trial"] is not None) == made.is_trial
    metrics = reader.get(f"{API}/{made.pk}/metrics").json()
    (line,) = [line for line in metrics["metrics"] if line["name"] == made.version.headline.name]
    yield "metrics", line["value"]
    yield "revisions", metrics["revisions"][0]["headline"]
    place = f"{made.version.benchmark.slug}/{made.version.slug}"
    board = reader.get(f"/api/v1/leaderboard/{place}").json()
    for row in board["items"]:
        if row["submission"] == str(made.pk):
            yield "board", row["headline"]
    file = json.loads(
        reader.get(reverse("leaderboard:board_export", args=[*place.split("/"), "json"])).content
    )
    for row in file:
        if row["submission"] == str(made.pk):
            yield "file", row["headline"]


def texts(reader: Any, made: Submission) -> Iterator[tuple[str, str]]:
    """(place, text) of pages that show the headline."""
    version, system = made.version, made.system
    named = [version.benchmark.slug, version.slug]
    pages = {
        "page": made.get_absolute_url(),
        "BibTeX": reverse("leaderboard:submission_bibtex", args=[made.pk]),
        "events": f"{API}/{made.pk}/events",
        "system": system.get_absolute_url(),
        "badge": reverse("leaderboard:system_badge", args=[system.owner.username, system.slug]),
        "board": version.get_board_url(),
        "feed": reverse("leaderboard:feed"),
        "version feed": reverse("leaderboard:version_feed", args=named),
        "history": reverse("leaderboard:history"),
        "runs": reverse("leaderboard:runs"),
        "front page": "/",
        "admin": reverse("admin:leaderboard_submission_changelist"),
        "one in the admin": reverse("admin:leaderboard_submission_change", args=[made.pk]),
        "scores in the admin": reverse("admin:leaderboard_score_changelist"),
    }
    for name, address in pages.items():
        yield name, reader.get(address).content.decode()
    yield "card", cards.submission_words(made)
    yield "command line", options.describe(Answer.model_validate(reader.get(f"{API}/{made.pk}").json()))


def test_every_answer_says_the_same_headline(reader: Any, made: Submission) -> None:
    said = dict(answers(reader, made))
    assert set(said.values()) == {made.result}, said


def test_every_page_says_the_headline_or_nothing(reader: Any, made: Submission) -> None:
    said = dict(texts(reader, made))
    assert made.score is not None
    stored = {made.score.headline, made.score.exact_headline} - {None, made.result}
    for name, text in said.items():
        for value in stored:
            assert f"{100 * value:.1f}" not in text.replace("100.0", ""), name
    if made.result is not None:
        for name in ("page", "card"):
            assert number(made.result) in said[name], name
        assert number(made.result).replace("%", r"\%") in said["BibTeX"]
        for name in ("events", "command line"):
            assert f"{made.result:.3f}" in said[name], name
    if made.is_trial:
        for name in ("BibTeX", "system"):
            assert made.trial_words in said[name], name


def test_a_card_of_what_reports_no_headline_has_none(made: Submission) -> None:
    card = cards.submission_card(made)
    assert (card.value, card.interval) == (made.result, made.result_interval)


def test_commands_say_what_pages_say(make_version: Any, capsys: pytest.CaptureFixture[str]) -> None:
    version = make_version("statebench")
    call_command("run_system", "state_based", f"{version.benchmark.slug}/{version.slug}")
    assert "not reported (" in capsys.readouterr().out
