"""Teams: who may act for them, invitations, and that they give their members no more uploads."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.exceptions import ValidationError
from django.http import Http404
from django.utils import timezone

from leaderboard.accounts import teams
from leaderboard.accounts.models import Invitation, Membership, Role, StaffAct
from leaderboard.submissions import quotas
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.services import entries

pytestmark = pytest.mark.usefixtures("mails")

ADDRESS = "https://site.example/account/invitations/{token}/"


@pytest.fixture
def lab(user: Any) -> Any:
    """A team of ada's."""
    return teams.create("the-lab", by=user)


def join(team: Any, person: Any, role: str) -> None:
    link = teams.invite(team, person.email, role, by=team.memberships.first().user, address=ADDRESS)
    teams.accept(link.split("/")[-2], person)


@pytest.fixture
def of_lab(lab: Any) -> System:
    return System.objects.create(owner=lab.account, name="Reader of the lab")


def test_a_team_has_an_account_that_signs_in_with_no_password(lab: Any, user: Any, client: Any) -> None:
    account = lab.account
    assert (str(lab), account.is_active, account.has_usable_password()) == ("the-lab", False, False)
    assert teams.roles(user) == {account.pk: "owner"}
    assert not client.login(username="the-lab", password="")
    assert not StaffAct.objects.exists()


def test_an_account_without_a_confirmed_address_makes_none(user: Any) -> None:
    EmailAddress.objects.all().delete()
    with pytest.raises(teams.TeamError, match="Confirm your e-mail address first"):
        teams.create("the-lab", by=user)


@pytest.mark.parametrize("name", ["ada", "the_lab", "admin", "two words"])
def test_a_name_follows_the_rules_of_accounts(lab: Any, user: Any, name: str) -> None:
    with pytest.raises(ValidationError):
        teams.create(name, by=user)


def test_an_account_owns_so_many_teams(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(teams, "MOST_OWNED", 1)
    teams.create("first-team", by=user)
    with pytest.raises(teams.TeamError, match="You own 1"):
        teams.create("second-team", by=user)


def test_an_invitation_is_mailed_and_accepted_once(lab: Any, user: Any, other: Any) -> None:
    link = teams.invite(lab, "ben@example.org", Role.READER, by=user, address=ADDRESS)
    (message,) = mail.outbox
    assert (message.to, link in message.body) == (["ben@example.org"], True)
    assert "ada invites you to the team the-lab" in message.subject
    token = link.split("/")[-2]
    assert token not in Invitation.objects.get().digest
    teams.accept(token, other)
    assert teams.roles(other) == {lab.account_id: "reader"}
    with pytest.raises(Http404):
        teams.accept(token, other)


def test_an_invitation_ends_after_its_time_and_with_the_next_one(lab: Any, user: Any, other: Any) -> None:
    first = teams.invite(lab, "ben@example.org", Role.READER, by=user, address=ADDRESS)
    second = teams.invite(lab, "BEN@example.org", Role.OWNER, by=user, address=ADDRESS)
    with pytest.raises(Http404):
        teams.invitation(first.split("/")[-2])
    Invitation.objects.update(created_at=timezone.now() - timedelta(days=7, minutes=1))
    with pytest.raises(Http404):
        teams.accept(second.split("/")[-2], other)


def test_an_account_sends_so_many_invitations_a_day(
    lab: Any, user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teams, "MOST_INVITED", 1)
    teams.invite(lab, "ben@example.org", Role.READER, by=user, address=ADDRESS)
    with pytest.raises(teams.TeamError, match="1 invitations within 24 hours"):
        teams.invite(lab, "ben@example.org", Role.READER, by=user, address=ADDRESS)


def test_a_member_who_is_invited_again_keeps_the_role(lab: Any, user: Any) -> None:
    join(lab, user, Role.READER)
    assert lab.memberships.get(user=user).role == Role.OWNER


@pytest.mark.parametrize(
    ("role", "reads", "submits"), [("owner", True, True), ("submitter", True, True), ("reader", True, False)]
)
def test_a_role_decides_what_a_member_may_do(
    lab: Any, of_lab: System, other: Any, version: Any, submit: Any, role: str, reads: bool, submits: bool
) -> None:
    hidden = submit(version, of_lab, visibility="private")
    assert not hidden.may_be_read_by(other)
    join(lab, other, role)
    assert hidden.may_be_read_by(other) is reads
    assert Submission.objects.visible_to(other).filter(pk=hidden.pk).exists() is reads
    assert hidden.gives_predictions_to(other) is reads
    assert hidden.is_open_to(other, "leaderboard.withdraw_submission") is submits
    assert of_lab.may_be_changed_by(other) is submits


def test_a_team_always_has_an_owner(lab: Any, user: Any, other: Any) -> None:
    join(lab, other, Role.SUBMITTER)
    mine = lab.memberships.get(user=user)
    for role in ("", Role.READER):
        with pytest.raises(teams.TeamError, match="needs an owner"):
            teams.change(lab, mine, role)
    teams.change(lab, lab.memberships.get(user=other), Role.OWNER)
    teams.change(lab, mine, "")
    assert list(Membership.objects.values_list("user__username", "role")) == [("ben", "owner")]
    assert (teams.only_owned(user), teams.only_owned(other)) == ([], ["the-lab"])


def sent(version: Any, system: System, predictions: Any, person: Any, **fields: Any) -> Submission:
    accepted = submissions.accept(version, predictions(version))
    return submissions.create(accepted, system=system, submitter=system.owner, sent_by=person, **fields)


def test_uploads_for_a_team_count_for_the_team_and_for_their_sender(
    lab: Any, of_lab: System, user: Any, other: Any, version: Any, predictions: Any
) -> None:
    join(lab, other, Role.SUBMITTER)
    made = sent(version, of_lab, predictions, user)
    assert (made.submitter, made.sent_by) == (lab.account, user)
    assert made.events.first().actor == user
    used = {
        "ada": quotas.quota_for(user).used,
        "ben": quotas.quota_for(other).used,
        "ben for the team": quotas.quota_for(other, account=lab.account).used,
        "the team": quotas.quota_for(lab.account).used,
    }
    assert used == {"ada": 1, "ben": 0, "ben for the team": 1, "the team": 1}


def test_a_second_team_brings_no_further_uploads_to_a_sealed_version(
    user: Any, make_version: Any, predictions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotas, "upload_limit", lambda version: 1)
    sealed = make_version(sealed=True)
    first, second = (
        System.objects.create(owner=teams.create(name, by=user).account, name=name)
        for name in ("team-one", "team-two")
    )
    sent(sealed, first, predictions, user)
    for system, account in ((second, second.owner), (None, user)):
        with pytest.raises(quotas.UsedUpError):
            quotas.check(user, sealed, system, account=account)


def test_entries_of_teams_count_for_the_member_who_declared_them(
    user: Any, make_version: Any, predictions: Any
) -> None:
    sealed = make_version(sealed=True)
    for name in ("team-one", "team-two"):
        system = System.objects.create(owner=teams.create(name, by=user).account, name=name)
        sent(sealed, system, predictions, user, declared=True, repeats=2)
    with pytest.raises(entries.EntriesUsedUpError):
        entries.check(user, sealed, None)


def test_systems_of_a_persons_teams_count_together(user: Any, lab: Any, settings: Any) -> None:
    settings.SYSTEMS_PER_DAY = 1
    quotas.new_system(user, owner=lab.account, name="one")
    with pytest.raises(quotas.QuotaError):
        quotas.new_system(user, name="two")
