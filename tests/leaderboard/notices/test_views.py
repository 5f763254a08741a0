"""The pages of mail, boards and webhooks; each shows an account's own."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from leaderboard.benchmarks.models import Version
from leaderboard.notices.models import Delivery, Follow, Kind, NoticeSettings, Webhook

NOTICES, WEBHOOKS = "/account/notices/", "/account/webhooks/"
HOOK = {"url": "https://93.184.216.34/hook", "events": [Kind.GRADED]}


@pytest.fixture
def browser(client: Client, user: Any) -> Client:
    client.force_login(user)
    return client


@pytest.mark.parametrize("page", [NOTICES, WEBHOOKS])
def test_strangers_are_asked_to_sign_in(client: Client, db: None, page: str) -> None:
    assert client.get(page).status_code == 302


def test_the_mail_of_an_account_is_what_it_chose(browser: Client, user: Any) -> None:
    page = browser.get(NOTICES).content.decode()
    assert page.count("checked") == len(NoticeSettings.for_user(user).by_mail) == 3
    assert browser.post(NOTICES, {"by_mail": [Kind.GRADED]}).status_code == 302
    assert NoticeSettings.for_user(user).by_mail == [Kind.GRADED]
    browser.post(NOTICES, {})
    assert NoticeSettings.for_user(user).by_mail == []
    assert browser.post(NOTICES, {"by_mail": ["all"]}).status_code == 422


def test_the_page_says_why_no_mail_comes(browser: Client, settings: Any, sends_mail: None) -> None:
    assert "until your e-mail address is" in browser.get(NOTICES).content.decode()
    settings.SITE_URL = ""
    assert "cannot send notices yet" in browser.get(NOTICES).content.decode()


def test_a_board_is_followed_from_its_page_and_no_longer(
    browser: Client, user: Any, version: Version
) -> None:
    link = re.search(
        r'href="(/account/notices/\?board=[^"]+)"', browser.get(version.get_absolute_url()).content.decode()
    )
    assert link
    assert f'value="{version.pk}" selected' in browser.get(link[1]).content.decode()
    for _ in range(2):
        browser.post(f"{NOTICES}follow/", {"version": version.pk})
    followed = Follow.objects.get(user=user, version=version)
    browser.post(f"{NOTICES}{followed.pk}/unfollow/")
    assert not Follow.objects.exists()
    assert browser.post(f"{NOTICES}follow/", {"version": 10**6}).status_code == 302
    assert not Follow.objects.exists()


def test_a_new_webhook_shows_its_secret_once(browser: Client) -> None:
    made = browser.post(WEBHOOKS, HOOK)
    secret = re.search(r"whsec_[\w+/]{43}=", made.content.decode())
    assert secret
    assert secret[0] == Webhook.objects.get().secret
    assert "no-store" in made["Cache-Control"]
    assert secret[0] not in browser.get(WEBHOOKS).content.decode()


@pytest.mark.parametrize(
    "url", ["http://93.184.216.34/", "https://127.0.0.1/", "https://10.0.0.1/", "hook", ""]
)
def test_an_inner_address_makes_no_webhook(browser: Client, url: str) -> None:
    assert browser.post(WEBHOOKS, HOOK | {"url": url}).status_code == 422
    assert not Webhook.objects.exists()


def test_an_account_has_five_webhooks_at_most(browser: Client) -> None:
    for _ in range(6):
        answer = browser.post(WEBHOOKS, HOOK)
    assert answer.status_code == 422
    assert Webhook.objects.count() == 5


def test_a_webhook_is_tried_and_deleted_by_its_owner_alone(browser: Client, user: Any, other: Any) -> None:
    theirs = Webhook.objects.create(user=other, url=HOOK["url"], events=[])
    mine = Webhook.objects.create(user=user, url=HOOK["url"], events=[])
    for act in ("test", "delete"):
        assert browser.post(f"{WEBHOOKS}{theirs.pk}/{act}/").status_code == 404
        assert browser.get(f"{WEBHOOKS}{mine.pk}/{act}/").status_code == 405
    browser.post(f"{WEBHOOKS}{mine.pk}/test/")
    assert Delivery.objects.get().webhook == mine
    browser.post(f"{WEBHOOKS}{mine.pk}/delete/")
    assert list(Webhook.objects.all()) == [theirs]
    assert not Delivery.objects.exists()
