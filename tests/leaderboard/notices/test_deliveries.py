"""Webhooks are posted to a real server: signed, tried again while it refuses, and switched off in the end."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Any

import pytest
import standardwebhooks
from django.core import mail

from leaderboard.notices import deliveries, services
from leaderboard.notices.models import Delivery, Kind, Webhook
from tests.leaderboard.jobs.workers import seconds_to_wait, wait_is_over
from tests.leaderboard.notices.conftest import Receiver

pytestmark = [pytest.mark.django_db, pytest.mark.timing]


@pytest.fixture
def hook(user: Any, receiver: Receiver) -> Webhook:
    return services.make(user, receiver.url, Kind.values)


def a_test_for(hook: Webhook) -> Delivery:
    services.send_test(hook)
    return Delivery.objects.latest("pk")


def verify(secret: str, headers: dict[str, str], body: bytes) -> Any:
    """The payload, verified by a receiver that knows the specification alone."""
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert abs(time.time() - int(headers["webhook-timestamp"])) < 60
    return json.loads(body)


def test_the_signature_is_that_of_the_specification() -> None:
    """The vector in the text of github.com/standard-webhooks/standard-webhooks, spec and libraries."""
    signed = deliveries.signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        '{"test": 2432232314}',
    )
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_grade_reaches_a_real_server_with_a_signature_that_holds(
    version: Any, hook: Webhook, receiver: Receiver, system: Any, submit: Any
) -> None:
    made = submit(version, system)
    waiting = Delivery.objects.get()
    assert deliveries.deliver(waiting.pk)
    ((headers, body),) = receiver.posted
    payload = verify(hook.secret, headers, body)
    assert payload["type"] == "submission.graded"
    assert payload["data"]["id"] == str(made.pk)
    assert payload["data"]["headline"]["value"] == made.result
    assert not Delivery.objects.exists()
    hook.refresh_from_db()
    assert (hook.last_answer, hook.failing_since) == ("204", None)


def test_the_library_of_standardwebhooks_verifies_it(hook: Webhook, receiver: Receiver) -> None:
    assert deliveries.deliver(a_test_for(hook).pk)
    ((headers, body),) = receiver.posted
    assert standardwebhooks.Webhook(hook.secret).verify(body, headers)["type"] == "webhook.test"
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(hook.secret).verify(body + b" ", headers)


def test_a_failing_receiver_is_tried_again_with_the_same_id(hook: Webhook, receiver: Receiver) -> None:
    receiver.status = 500
    first, second = a_test_for(hook), a_test_for(hook)
    assert not deliveries.deliver(first.pk)
    assert seconds_to_wait(first) == seconds_to_wait(second) == 15
    assert not deliveries.deliver(second.pk)  # waits with the first: the receiver is asked once
    assert len(receiver.posted) == 1
    wait_is_over(first)
    assert not deliveries.deliver(first.pk)
    assert seconds_to_wait(first) == 60
    receiver.status = 200
    wait_is_over(first)
    assert deliveries.deliver(first.pk)
    assert len({headers["webhook-id"] for headers, _ in receiver.posted}) == 1
    hook.refresh_from_db()
    assert hook.failing_since is None


def test_a_webhook_that_fails_for_days_is_switched_off_with_a_mail(
    hook: Webhook, receiver: Receiver, confirmed: None
) -> None:
    receiver.status = 500
    waiting = a_test_for(hook)
    deliveries.deliver(waiting.pk)
    hook.refresh_from_db()
    Webhook.objects.update(failing_since=hook.failing_since - deliveries.GIVE_UP_AFTER)
    wait_is_over(waiting)
    assert not deliveries.deliver(waiting.pk)
    hook.refresh_from_db()
    assert hook.disabled_at
    assert not Delivery.objects.exists()
    (sent,) = mail.outbox
    assert sent.to == ["ada@example.org"]
    assert receiver.url in sent.body
    services.send_test(hook)
    hook.refresh_from_db()
    assert (hook.disabled_at, hook.failing_since) == (None, None)


def test_a_redirect_is_not_followed(hook: Webhook, receiver: Receiver) -> None:
    receiver.status, receiver.moved_to = 302, receiver.url + "/elsewhere"
    assert not deliveries.deliver(a_test_for(hook).pk)
    assert len(receiver.posted) == 1
    hook.refresh_from_db()
    assert hook.last_answer == "302"


def test_a_receiver_that_is_away_is_no_error(hook: Webhook, receiver: Receiver) -> None:
    receiver.server_close()
    assert not deliveries.deliver(a_test_for(hook).pk)
    hook.refresh_from_db()
    assert hook.last_answer.startswith("No answer: ")


def test_an_answer_that_is_no_http_is_shown_without_letters_that_a_database_refuses(
    hook: Webhook, receiver: Receiver
) -> None:
    receiver.noise = b"\0noise\r\n"
    assert not deliveries.deliver(a_test_for(hook).pk)
    hook.refresh_from_db()
    assert hook.last_answer == "No answer: �noise"
