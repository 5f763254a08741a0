"""Webhooks by API: the secret is shown once, and others' webhooks never."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.notices.models import Delivery, Webhook

HOOK = {"url": "https://93.184.216.34/hook", "events": ["submission.graded", "version.appeared"]}


def test_a_webhook_is_made_listed_tried_and_deleted(ada: Any, other: Any) -> None:
    Webhook.objects.create(user=other, url="https://1.1.1.1/", events=[])
    made = ada("POST", "/webhooks", HOOK, kind="application/json")
    assert made.status_code == 201
    hook = made.json()
    assert hook["secret"].startswith("whsec_")
    (listed,) = ada("GET", "/webhooks").json()
    assert listed == {name: value for name, value in hook.items() if name != "secret"}
    tried = ada("POST", f"/webhooks/{hook['id']}/test")
    assert tried.status_code == 202
    assert json.loads(Delivery.objects.get().body)["type"] == "webhook.test"
    assert ada("DELETE", f"/webhooks/{hook['id']}").status_code == 204
    assert ada("GET", "/webhooks").json() == []


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "https://127.0.0.1/"},
        {"url": "http://1.1.1.1/"},
        {"url": ""},
        {"events": []},
        {"events": ["all"]},
    ],
)
def test_what_makes_no_webhook_is_refused(ada: Any, fields: dict[str, object]) -> None:
    refused = ada("POST", "/webhooks", HOOK | fields, kind="application/json")
    assert refused.status_code == 422
    assert refused["Content-Type"] == "application/problem+json"
    assert not Webhook.objects.exists()


def test_webhooks_of_others_are_not_there(ada: Any, other: Any) -> None:
    theirs = Webhook.objects.create(user=other, url="https://1.1.1.1/", events=[])
    assert ada("DELETE", f"/webhooks/{theirs.pk}").status_code == 404
    assert ada("POST", f"/webhooks/{theirs.pk}/test").status_code == 404
    assert ada("DELETE", f"/webhooks/{1 << 70}").status_code == 404
