"""Mail reaches a real SMTP server at once, or when the server is back; refused mail fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message as MessageHandler
from django.core import mail
from django.test import Client

from leaderboard.accounts import outbox
from leaderboard.accounts.models import Mail
from tests.leaderboard.jobs.workers import seconds_to_wait, wait_is_over
from tests.services import free_port

pytestmark = [pytest.mark.django_db, pytest.mark.timing]
SIGN_UP = {
    "username": "ada-l",
    "email": "ada@example.org",
    "password1": "a-long-pass-1",
    "password2": "a-long-pass-1",
}


class Post(MessageHandler):
    """Keeps delivered mail, and refuses addresses at `nowhere`."""

    def __init__(self) -> None:
        super().__init__()
        self.delivered: list[Any] = []

    def handle_message(self, message: Any) -> None:
        self.delivered.append(message)

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if address.endswith("@nowhere.example"):
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"


@pytest.fixture
def port(settings: Any) -> int:
    """The port of the site's mail server, where nothing listens yet."""
    settings.EMAIL_BACKEND = "leaderboard.accounts.outbox.Backend"
    settings.MAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", free_port(), 5
    return int(settings.EMAIL_PORT)


@pytest.fixture
def post() -> Post:
    return Post()


@pytest.fixture
def server(port: int, post: Post) -> Iterator[Controller]:
    controller = Controller(post, hostname="127.0.0.1", port=port)
    yield controller
    if controller.loop.is_running():
        controller.stop()


def test_a_sign_up_while_the_server_is_away_is_mailed_when_it_is_back(server: Controller, post: Post) -> None:
    response = Client().post("/accounts/signup/", SIGN_UP)
    assert response.status_code == 302
    waiting = Mail.objects.get()
    assert str(waiting).startswith("Mail to ada@example.org: ")
    assert not outbox.send(waiting.pk)
    assert seconds_to_wait(waiting) == 15
    waiting.refresh_from_db()
    assert (waiting.status, waiting.faults) == ("waiting", 1)
    assert (
        waiting.error
        == "Waiting: the mail server does not accept the message. The next attempt starts automatically."
    )
    server.start()
    wait_is_over(waiting)
    assert outbox.send(waiting.pk)
    (delivered,) = post.delivered
    assert delivered["To"] == "ada@example.org"
    assert "/accounts/confirm-email/" in delivered.get_payload()
    assert not Mail.objects.exists()


def test_a_message_that_is_refused_fails_and_can_be_sent_again(server: Controller, post: Post) -> None:
    server.start()
    mail.send_mail("Hello", "text", None, ["ada@nowhere.example"], html_message="<b>text</b>")
    refused = Mail.objects.get()
    assert not outbox.send(refused.pk)
    refused.refresh_from_db()
    assert refused.status == "failed"
    assert "550" in refused.error
    assert not outbox.send(refused.pk)
    Mail.objects.update(message=refused.message | {"to": ["ada@example.org"]})
    outbox.try_again(refused)
    assert outbox.send(refused.pk)
    assert [part.get_content_type() for part in post.delivered[0].walk()][1:] == ["text/plain", "text/html"]


def test_what_the_server_did_not_take_for_days_fails(port: int) -> None:
    mail.send_mail("Hello", "text", None, ["ada@example.org"])
    old = Mail.objects.get()
    Mail.objects.update(created_at=old.created_at - outbox.GIVE_UP_AFTER)
    outbox.send(old.pk)
    old.refresh_from_db()
    assert (old.status, old.error[:22]) == ("failed", "Not sent within 3 days")


def test_attachments_are_refused_where_they_are_sent(port: int) -> None:
    message = mail.EmailMessage("Hello", "text", None, ["ada@example.org"])
    message.attach("a.txt", "text")
    with pytest.raises(ValueError, match="does not support attachments"):
        message.send()
