"""Pages of teams, and submissions for one by page and API."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from leaderboard.accounts import teams
from leaderboard.accounts.models import ApiToken, Role, StaffAct, Team
from leaderboard.notices.models import Kind, Notice, NoticeSettings
from leaderboard.submissions.models import Submission, System

pytestmark = pytest.mark.usefixtures("mails")


def signed_in(person: Any) -> Client:
    made = Client()
    made.force_login(person)
    return made


@pytest.fixture
def ada(user: Any) -> Client:
    return signed_in(user)


@pytest.fixture
def ben(other: Any) -> Client:
    return signed_in(other)


@pytest.fixture
def lab(ada: Client) -> str:
    """The address of a team that ada made on the page."""
    made = ada.post("/account/teams/", {"name": "the-lab"})
    assert made.status_code == 302
    return str(made["Location"])


def join(lab: str, ada: Client, other: Any, role: str = "submitter") -> None:
    ada.post(lab, {"email": other.email, "role": role})
    (link,) = (line for line in mail.outbox[-1].body.splitlines() if "/invitations/" in line)
    path = "/" + link.split("/", 3)[3]
    assert "Invitation to the-lab" in signed_in(other).get(path).content.decode()
    assert signed_in(other).post(path)["Location"] == lab


def upload(version: Any, predictions: Any) -> SimpleUploadedFile:
    return SimpleUploadedFile("preds.jsonl", predictions(version).read_bytes())


def test_a_team_is_made_people_join_by_mail_and_roles_change(
    lab: str, ada: Client, ben: Client, user: Any, other: Any
) -> None:
    assert ben.get(lab).status_code == 404
    join(lab, ada, other)
    page = ben.get(lab).content.decode()
    assert "ada" in page
    assert "Send the invitation" not in page
    assert ben.post(lab, {"email": "cy@example.org", "role": "reader"}).status_code == 404
    member = Team.objects.get().memberships.get(user=other)
    change = reverse("leaderboard:team_member", args=["the-lab", member.pk])
    assert ben.post(change, {"role": "owner"}).status_code == 404
    ada.post(change, {"role": "owner"})
    assert "Send the invitation" in ben.get(lab).content.decode()
    assert ada.post(change, {"role": "king"}).status_code == 404
    mine = Team.objects.get().memberships.get(user=user)
    left = ada.post(reverse("leaderboard:team_member", args=["the-lab", mine.pk]))
    assert (left["Location"], ada.get(lab).status_code) == ("/account/", 404)
    assert not StaffAct.objects.exists()


def test_mistakes_are_said_on_the_page(lab: str, ada: Client) -> None:
    taken = ada.post("/account/teams/", {"name": "the-lab"})
    assert (taken.status_code, "is taken" in taken.content.decode()) == (422, True)
    wrong = ada.post(lab, {"email": "nothing", "role": "reader"})
    assert (wrong.status_code, "valid email" in wrong.content.decode()) == (422, True)
    only = Team.objects.get().memberships.get()
    answer = ada.post(reverse("leaderboard:team_member", args=["the-lab", only.pk]), follow=True)
    assert "A team needs an owner" in answer.content.decode()


def test_an_ended_invitation_leads_nowhere(lab: str, ada: Client, ben: Client, other: Any) -> None:
    ada.post(lab, {"email": other.email, "role": "reader"})
    (link,) = (line for line in mail.outbox[-1].body.splitlines() if "/invitations/" in line)
    invitation = Team.objects.get().invitations.get()
    ada.post(reverse("leaderboard:team_invitation_end", args=["the-lab", invitation.pk]))
    assert ben.get("/" + link.split("/", 3)[3]).status_code == 404


def test_a_site_without_mail_shows_the_link_once(lab: str, ada: Client, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    page = ada.post(lab, {"email": "ben@example.org", "role": "reader"}).content.decode()
    assert "/account/invitations/" in page
    assert "/account/invitations/" not in ada.get(lab).content.decode()


def test_a_member_submits_for_a_team_on_the_page_and_members_see_it(
    lab: str, ada: Client, ben: Client, other: Any, version: Any, predictions: Any
) -> None:
    assert "Owner of a new system" not in ben.get("/submit/").content.decode()
    join(lab, ada, other)
    assert "Owner of a new system" in ben.get("/submit/").content.decode()
    form = {"version": version.pk, "visibility": "private", "file": upload(version, predictions)}
    ben.post("/submit/", form | {"team": Team.objects.get().pk, "name": "A model"})
    made = Submission.objects.get()
    assert (str(made.submitter), made.sent_by, str(made.system.owner)) == ("the-lab", other, "the-lab")
    assert ada.get(made.get_absolute_url()).status_code == 200
    assert "A model" in ada.get("/account/").content.decode()
    assert Client().get(made.get_absolute_url()).status_code == 404
    again = {"version": version.pk, "visibility": "private", "file": upload(version, predictions)}
    ada.post("/submit/", again | {"system": made.system.pk})
    assert [str(each.submitter) for each in Submission.objects.all()] == ["the-lab", "the-lab"]
    shown = ben.post(reverse("leaderboard:submission_visibility", args=[made.pk]), {"visibility": "public"})
    assert shown.status_code == 302
    assert Submission.objects.get(pk=made.pk).is_public
    assert not StaffAct.objects.exists()


def test_a_reader_submits_for_no_team(
    lab: str, ada: Client, ben: Client, other: Any, version: Any, predictions: Any
) -> None:
    join(lab, ada, other, "reader")
    team = Team.objects.get()
    form = {"version": version.pk, "name": "A model", "team": team.pk, "visibility": "public"}
    ben.post("/submit/", form | {"file": upload(version, predictions)})
    assert str(Submission.objects.get().submitter) == "ben"


def test_the_api_sends_for_a_team_and_lists_what_is_its(
    lab: str, user: Any, other: Any, version: Any, predictions: Any
) -> None:
    address = (
        f"/api/v1/submissions?version={version.benchmark.slug}/{version.slug}&system=Reader&team=the-lab"
    )
    answers = []
    for person in (user, other):
        _, secret = ApiToken.objects.issue(user=person, name="script", scopes=["read", "submit"])
        caller = Client(headers={"Authorization": f"Bearer {secret}"})
        answers.append(
            caller.post(address, predictions(version).read_bytes(), content_type="application/x-ndjson")
        )
        if person == user:
            listed = caller.get("/api/v1/submissions?mine=true").json()["items"]
            assert [each["submitter"] for each in listed] == ["the-lab"]
            assert [each["owner"] for each in caller.get("/api/v1/systems?mine=true").json()["items"]] == [
                "the-lab"
            ]
    assert [answer.status_code for answer in answers] == [201, 422]
    assert "no team of this name for which you may submit" in answers[1].content.decode()


def test_all_members_are_told_of_a_result(
    lab: str, ada: Client, user: Any, other: Any, version: Any, submit: Any, settings: Any
) -> None:
    settings.SITE_URL = "https://site.example"
    join(lab, ada, other)
    for person in (user, other):
        NoticeSettings.objects.update_or_create(user=person, defaults={"by_mail": [Kind.GRADED]})
    submit(version, System.objects.create(owner=Team.objects.get().account, name="Reader"))
    assert sorted(Notice.objects.values_list("user__username", flat=True)) == ["ada", "ben"]


def test_a_team_is_dissolved_by_its_name_and_public_results_stay_without_it(
    lab: str, ada: Client, version: Any, submit: Any
) -> None:
    made = submit(version, System.objects.create(owner=Team.objects.get().account, name="Reader"))
    address = reverse("leaderboard:team_dissolve", args=["the-lab"])
    assert ada.post(address, {"results": "keep", "proof": "ada"}).status_code == 422
    assert ada.post(address, {"results": "keep", "proof": "the-lab"}).status_code == 302
    made.refresh_from_db()
    assert str(made.submitter).startswith("deleted-")
    assert made.is_public
    assert not Team.objects.exists()


def test_the_only_owner_deletes_no_account_before_the_team(lab: str, ada: Client, user: Any) -> None:
    form = {"results": "keep", "proof": "a long passphrase"}
    page = ada.post("/account/delete/", form)
    assert (page.status_code, "only owner of the-lab" in page.content.decode()) == (422, True)
    teams.change(team := Team.objects.get(), team.memberships.create(user=_cy(), role=Role.OWNER), Role.OWNER)
    assert ada.post("/account/delete/", form).status_code == 302
    assert list(team.memberships.values_list("user__username", flat=True)) == ["cy"]


def _cy() -> Any:
    return get_user_model().objects.create_user("cy", "cy@example.org", "a long passphrase")
