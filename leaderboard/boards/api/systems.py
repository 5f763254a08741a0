"""API of systems: what was tested, by which account, and how often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from ninja import Field, Query, Router, Schema
from pydantic import create_model

from leaderboard.accounts import permissions, teams
from leaderboard.accounts.access import MAY_SUBMIT
from leaderboard.boards.schemas import SystemDetail, SystemOut, card_fields, changed_type
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.models.card import CARD_FIELDS, FILE
from leaderboard.web.api.fields import Kind, Link, Name, Slug, Words, row_fields
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.paging import Page, Paging, by_key
from leaderboard.web.api.problems import ProblemError, invalid

router = Router(tags=["Systems"])
#: Fields that null clears; null leaves the others unchanged.
MAY_BE_NULL = frozenset(name for name in CARD_FIELDS if System._meta.get_field(name).null)


class SystemFilters(Paging):
    q: Annotated[Words, Field(max_length=80, description="Part of the system's name.")] = ""
    mine: Annotated[bool, Field(description="Only systems of the caller and of the caller's teams.")] = False


@router.get("", response=Page[SystemOut], summary="List the systems by name")
def list_systems(request: HttpRequest, filters: Query[SystemFilters]) -> Any:
    """List systems with a conformance report or submission that you may read, and your own systems."""
    systems = System.objects.visible_to(request.user).select_related("owner")
    if filters.mine:
        systems = systems.filter(owner__in=teams.accounts_of(request.user))
    if filters.q:
        systems = systems.filter(name__icontains=filters.q)
    return by_key(request, systems, ["name", "id"], filters, lambda system: shown(request, system))


@router.get("/{owner}/{slug}", response=SystemDetail, summary="A system and its attempts")
def get_system(request: HttpRequest, owner: Name, slug: Slug) -> Any:
    """Return the system with the number of graded submissions on each version."""
    system = System.objects.get_visible(request.user, owner, slug)
    tried = [
        {
            "version": f"{one['version__benchmark__slug']}/{one['version__slug']}",
            "graded": one["graded"],
            "withdrawn": one["withdrawn"],
        }
        for one in Submission.objects.attempts_of(system, request.user)
    ]
    return shown(request, system) | {"attempts": tried}


if TYPE_CHECKING:
    _Card = Schema
else:
    _Card = create_model("Card", __base__=Schema, **card_fields(changed_type))


class SystemChange(_Card):
    """The fields to change. Omitted fields keep their values."""

    kind: Kind | None = Field(None, description="Kind of system: `llm`, `pipeline` and so on.")
    description: Words | None = Field(None, description="Description for readers.")
    link: Link | None = Field(None, description="URL of the system's paper or code; empty: none.")


@router.patch(
    "/{owner}/{slug}",
    response=SystemOut,
    auth=MAY_SUBMIT,
    summary="Change the description of your system",
    openapi_extra=problems(403, 404),
)
def change_system(request: HttpRequest, owner: Name, slug: Slug, requested: SystemChange) -> Any:
    """Change the description and model card of a system. Its name stays, because results are cited by it."""
    system = System.objects.get_visible(request.user, owner, slug)
    if not system.may_be_changed_by(request.user):
        raise ProblemError(
            403, "not-yours", f"This is not your system. {permissions.refusal(permissions.CHANGE_SYSTEM)}"
        )
    changes = requested.model_dump(exclude_unset=True)
    changes = {name: value for name, value in changes.items() if value is not None or name in MAY_BE_NULL}
    if "link" in changes:
        changes["url"] = changes.pop("link")
    for name, value in changes.items():
        setattr(system, name, value)
    system.mark_entered(changes)
    try:
        system.clean_fields(exclude={field.name for field in System._meta.fields} - changes.keys())
        system.clean()
    except ValidationError as error:
        raise invalid(
            [
                ("body", "link" if name == "url" else name, " ".join(text))
                for name, text in error.message_dict.items()
            ]
        ) from error
    system.save(update_fields=[*changes, "card_sources"])
    return shown(request, system)


def shown(request: HttpRequest, system: System) -> dict[str, object]:
    """Values for the fields of `SystemOut`. The owner must be loaded."""
    return row_fields(
        SystemOut,
        system,
        owner=system.owner.get_username(),
        from_file=[name for name in CARD_FIELDS if system.card_sources.get(name) == FILE],
        link=system.url,
        url=request.build_absolute_uri(system.get_absolute_url()),
    )
