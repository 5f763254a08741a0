"""Many events are one mail, to a confirmed address alone, and one click unsubscribes without a sign-in."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from leaderboard.benchmarks.models import Version
from leaderboard.notices import mailing
from leaderboard.notices.models import Follow, Kind, Notice, NoticeSettings
from tests.leaderboard.notices.conftest import SITE

pytestmark = pytest.mark.django_db


def noticed(user: Any, *kinds: Kind) -> None:
    for at, kind in enumerate(kinds):
        Notice.objects.create(user=user, kind=kind, line=f"Event {at} <&>", address=f"{SITE}/{at}")


def link_in(sent: Any) -> str:
    """The path of the link in the header."""
    return re.fullmatch(rf"<{SITE}(/.+)>", sent.extra_headers["List-Unsubscribe"])[1]


def test_events_that_happen_together_are_one_mail(user: Any, confirmed: None) -> None:
    noticed(user, Kind.FAILED, Kind.REGRADED)
    assert mailing.send(user.pk) == 2
    (sent,) = mail.outbox
    assert (sent.to, sent.subject) == (["ada@example.org"], "2 events on GoldEvidenceBench")
    assert f"Event 0 <&>\n{SITE}/0\n" in sent.body
    assert sent.body.index("Event 0") < sent.body.index("Event 1")
    assert sent.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert f"{SITE}{link_in(sent)}" in sent.body
    assert mailing.send(user.pk) == 0
    assert len(mail.outbox) == 1


def test_a_mail_of_one_event_has_it_as_subject_and_a_long_one_is_cut(user: Any, confirmed: None) -> None:
    noticed(user, Kind.FAILED)
    mailing.send(user.pk)
    noticed(user, *[Kind.FAILED] * 30)
    mailing.send(user.pk)
    one, many = mail.outbox
    assert one.subject == "Event 0 <&>"
    assert "Event 29" in many.body
    assert "And 5 earlier events." in many.body


def test_an_address_that_is_not_confirmed_gets_no_mail(user: Any, confirmed: None) -> None:
    EmailAddress.objects.update(verified=False)
    noticed(user, Kind.FAILED)
    mailing.send(user.pk)
    assert mail.outbox == []
    assert not Notice.objects.exists()


def test_one_click_ends_the_kinds_of_the_mail_without_a_session(user: Any, confirmed: None) -> None:
    noticed(user, Kind.FAILED)
    mailing.send(user.pk)
    stranger, link = Client(enforce_csrf_checks=True), link_in(mail.outbox[0])
    assert "Unsubscribe" in stranger.get(link).content.decode()
    assert Kind.FAILED in NoticeSettings.for_user(user).by_mail  # mail is read by programs that open links
    done = stranger.post(link, {"List-Unsubscribe": "One-Click"})
    assert done.status_code == 200
    assert "no-store" in done["Cache-Control"]
    assert NoticeSettings.for_user(user).by_mail == [Kind.REGRADED, Kind.OVERTAKEN]


def test_one_click_ends_the_digest_of_one_board(user: Any, version: Version, confirmed: None) -> None:
    Follow.objects.create(user=user, version=version)
    ends = [f"{mailing.DIGEST}{version.pk}"]
    mailing.message(user.pk, "a@example.org", "x", "leaderboard/mail/digest.txt", {}, ends=ends).send()
    answer = Client().post(link_in(mail.outbox[0]))
    assert "Weekly digest of Tiny" in answer.content.decode()
    assert not Follow.objects.exists()
    assert NoticeSettings.for_user(user).by_mail == [Kind.FAILED, Kind.REGRADED, Kind.OVERTAKEN]


def test_a_link_that_was_changed_ends_nothing(user: Any, confirmed: None) -> None:
    noticed(user, Kind.FAILED)
    mailing.send(user.pk)
    link = link_in(mail.outbox[0])
    assert Client().post(link[:-3] + "xx/").status_code == 404
    assert Kind.FAILED in NoticeSettings.for_user(user).by_mail


def test_a_link_of_an_account_that_is_gone_is_answered(confirmed: None) -> None:
    mailing.unsubscribe(10**6, [Kind.FAILED])
    assert not NoticeSettings.objects.exists()


def test_notices_that_no_task_waits_for_are_found(
    user: Any, confirmed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(
        "leaderboard.jobs.dispatch.enqueue_later", lambda *args, seconds: not asked.append(args)
    )
    noticed(user, Kind.FAILED, Kind.FAILED)
    assert mailing.enqueue_overdue() == 0
    for notice in Notice.objects.all():
        Notice.objects.filter(pk=notice.pk).update(at=notice.at - mailing.LOST_AFTER)
    assert mailing.enqueue_overdue() == 1
    assert asked == [("mail_notices", user.pk)]
