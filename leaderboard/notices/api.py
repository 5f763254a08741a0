"""Webhooks of the caller: list, make, try, delete."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from django.http import Http404
from ninja import Field, Router, Schema, Status

from leaderboard.accounts.access import MAY_SUBMIT, SIGNED_IN
from leaderboard.notices import services
from leaderboard.notices.models import Kind, Webhook
from leaderboard.web.api.fields import Words, row_fields
from leaderboard.web.api.problems import ProblemError
from leaderboard.web.requests import SignedInRequest

if TYPE_CHECKING:
    Event = str
else:
    Event = Literal[tuple(Kind.values)]  # the one list of pages and API

router = Router(tags=["Webhooks"], auth=SIGNED_IN)


class WebhookOut(Schema):
    """A webhook, without its secret."""

    id: int = Field(description="Names the webhook in the addresses of this API.")
    url: str = Field(description="The address that events are posted to.")
    events: list[str] = Field(description="The events that it is told of: `type` of a message.")
    created_at: datetime = Field(description="When it was made.")
    last_at: datetime | None = Field(description="When it was asked last; null: not yet.")
    last_answer: str = Field(description="The HTTP status of its last answer, or why there was none.")
    failing_since: datetime | None = Field(description="Since when it takes nothing; null: it does.")
    disabled_at: datetime | None = Field(
        description="When it was switched off, because it took nothing for five days. A test switches it on."
    )


class WebhookCreated(WebhookOut):
    """A new webhook. `secret` is shown this once."""

    secret: str = Field(
        description="The key that its messages are signed with (standardwebhooks, `whsec_…`)."
    )


class NewWebhook(Schema):
    """Where to post which events."""

    url: Annotated[Words, Field(min_length=1, max_length=500, description="An https address that is public.")]
    events: Annotated[list[Event], Field(min_length=1, max_length=20, description="Events to be told of.")]


@router.get("", response=list[WebhookOut], summary="My webhooks")
def list_webhooks(request: SignedInRequest) -> Any:
    """List the caller's webhooks, the newest first."""
    return [_shown(hook) for hook in Webhook.objects.filter(user=request.user)]


@router.post("", response={201: WebhookCreated}, auth=MAY_SUBMIT, summary="Make a webhook")
def create_webhook(request: SignedInRequest, requested: NewWebhook) -> Any:
    """Make a webhook. The secret is in this answer and nowhere else."""
    try:
        hook = services.make(request.user, requested.url, list(dict.fromkeys(requested.events)))
    except services.WebhookError as error:
        raise ProblemError(422, "webhook-refused", str(error)) from error
    return Status(201, _shown(hook) | {"secret": hook.secret})


@router.post("/{int:id}/test", response={202: WebhookOut}, auth=MAY_SUBMIT, summary="Send a test")
def test_webhook(request: SignedInRequest, id: int) -> Any:
    """Queue a message of the type `webhook.test`. `last_answer` says what became of it."""
    hook = _mine(request, id)
    services.send_test(hook)
    hook.refresh_from_db()
    return Status(202, _shown(hook))


@router.delete("/{int:id}", response={204: None}, auth=MAY_SUBMIT, summary="Delete a webhook")
def delete_webhook(request: SignedInRequest, id: int) -> Any:
    """Delete the webhook and the messages that wait for it."""
    _mine(request, id).delete()
    return Status(204, None)


def _mine(request: SignedInRequest, id: int) -> Webhook:
    hook = Webhook.objects.filter(user=request.user, pk=id).first() if id < 1 << 63 else None
    if hook is None:
        raise Http404
    return hook


def _shown(hook: Webhook) -> dict[str, object]:
    return row_fields(WebhookOut, hook)
