"""API of the caller's webhooks: list, create, test, delete."""

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

    id: int = Field(description="Id of the webhook in addresses of this API.")
    url: str = Field(description="The address that events are posted to.")
    events: list[str] = Field(description="Kinds of events that are posted (the `type` of a message).")
    created_at: datetime = Field(description="When the webhook was created.")
    last_at: datetime | None = Field(description="When a delivery was last attempted; null: not yet.")
    last_answer: str = Field(description="HTTP status of the last response, or why there was none.")
    failing_since: datetime | None = Field(description="Since when deliveries fail; null: they succeed.")
    disabled_at: datetime | None = Field(
        description="When the webhook was switched off, after failing for five days. A test switches it on again."
    )


class WebhookCreated(WebhookOut):
    """A new webhook. `secret` is only in this response."""

    secret: str = Field(description="The key that signs the messages (standardwebhooks, `whsec_…`).")


class NewWebhook(Schema):
    """Address and events of a new webhook."""

    url: Annotated[Words, Field(min_length=1, max_length=500, description="A public https address.")]
    events: Annotated[list[Event], Field(min_length=1, max_length=20, description="Events to post.")]


@router.get("", response=list[WebhookOut], summary="My webhooks")
def list_webhooks(request: SignedInRequest) -> Any:
    """List the caller's webhooks, the newest first."""
    return [_shown(hook) for hook in Webhook.objects.filter(user=request.user)]


@router.post("", response={201: WebhookCreated}, auth=MAY_SUBMIT, summary="Create a webhook")
def create_webhook(request: SignedInRequest, requested: NewWebhook) -> Any:
    """Create a webhook. The secret is only in this response."""
    try:
        hook = services.make(request.user, requested.url, list(dict.fromkeys(requested.events)))
    except services.WebhookError as error:
        raise ProblemError(422, "webhook-refused", str(error)) from error
    return Status(201, _shown(hook) | {"secret": hook.secret})


@router.post("/{int:id}/test", response={202: WebhookOut}, auth=MAY_SUBMIT, summary="Send a test")
def test_webhook(request: SignedInRequest, id: int) -> Any:
    """Queue a message of the type `webhook.test`. `last_answer` then shows the result."""
    hook = _mine(request, id)
    services.send_test(hook)
    hook.refresh_from_db()
    return Status(202, _shown(hook))


@router.delete("/{int:id}", response={204: None}, auth=MAY_SUBMIT, summary="Delete a webhook")
def delete_webhook(request: SignedInRequest, id: int) -> Any:
    """Delete the webhook and its waiting messages."""
    _mine(request, id).delete()
    return Status(204, None)


def _mine(request: SignedInRequest, id: int) -> Webhook:
    hook = Webhook.objects.filter(user=request.user, pk=id).first() if id < 1 << 63 else None
    if hook is None:
        raise Http404
    return hook


def _shown(hook: Webhook) -> dict[str, object]:
    return row_fields(WebhookOut, hook)
