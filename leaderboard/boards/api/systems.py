"""Systems: what was tested, by whom, and how often."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from ninja import Field, Query, Router, Schema

from leaderboard.accounts import permissions
from leaderboard.accounts.access import MAY_SUBMIT
from leaderboard.boards.schemas import SystemDetail, SystemOut
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.models.card import CARD_FIELDS, FILE
from leaderboard.web.api.fields import Kind, Link, Name, Slug, Words
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.paging import Page, Paging, by_key
from leaderboard.web.api.problems import ProblemError, invalid

router = Router(tags=["Systems"])
#: Fields that null empties; of the others null changes nothing.
MAY_BE_NULL = frozenset({"context", "released", "price_in", "price_out"})


class SystemFilters(Paging):
    q: Annotated[Words, Field(max_length=80, description="Part of the name.")] = ""
    mine: bool = False


@router.get(
    "",
    operation_id="leaderboard_api_systems_list_systems",
    response=Page[SystemOut],
    summary="List the systems by name",
)
def list_systems(request: HttpRequest, filters: Query[SystemFilters]) -> Any:
    """Those with a submission that you may read or a conformance report, and your own."""
    systems = System.objects.visible_to(request.user).select_related("owner")
    if filters.mine:
        systems = systems.filter(owner_id=request.user.pk)
    if filters.q:
        systems = systems.filter(name__icontains=filters.q)
    return by_key(request, systems, ["name", "id"], filters, lambda system: shown(request, system))


@router.get(
    "/{owner}/{slug}",
    operation_id="leaderboard_api_systems_get_system",
    response=SystemDetail,
    summary="A system and its attempts",
)
def get_system(request: HttpRequest, owner: Name, slug: Slug) -> Any:
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


class SystemChange(Schema):
    """What is to change; what is left out stays."""

    kind: Kind | None = None
    parameters: Annotated[Words, Field(max_length=30)] | None = None
    quantization: Annotated[Words, Field(max_length=30)] | None = None
    developer: Annotated[Words, Field(max_length=100)] | None = None
    hub_id: Annotated[Words, Field(max_length=120)] | None = None
    hub_revision: Annotated[Words, Field(max_length=100)] | None = None
    base_model: Annotated[Words, Field(max_length=120)] | None = None
    weights: Literal["", "open", "conditions", "closed"] | None = None
    context: Annotated[int, Field(ge=1, le=2**31 - 1, description="null empties it.")] | None = None
    released: date | None = None
    licence: Annotated[Words, Field(max_length=60)] | None = None
    licence_url: Link | None = None
    price_in: Annotated[float, Field(ge=0, allow_inf_nan=False, description="null empties it.")] | None = None
    price_out: Annotated[float, Field(ge=0, allow_inf_nan=False, description="null empties it.")] | None = (
        None
    )
    description: Words | None = None
    link: Link | None = None


@router.patch(
    "/{owner}/{slug}",
    operation_id="leaderboard_api_systems_change_system",
    response=SystemOut,
    auth=MAY_SUBMIT,
    summary="Change the description of your system",
    openapi_extra=problems(403, 404),
)
def change_system(request: HttpRequest, owner: Name, slug: Slug, requested: SystemChange) -> Any:
    """Its name stays: results are cited by it."""
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


def shown(request: HttpRequest, system: System) -> dict[str, Any]:
    """A system as the API shows it.

    Args:
        request: Of the reader; it makes the address a whole one.
        system: With its owner loaded.

    Returns:
        The fields of `SystemOut`.
    """
    return {
        "owner": system.owner.get_username(),
        "slug": system.slug,
        "name": system.name,
        "kind": system.kind,
        **{name: getattr(system, name) for name in CARD_FIELDS},
        "from_file": [name for name in CARD_FIELDS if system.card_sources.get(name) == FILE],
        "description": system.description,
        "link": system.url,
        "url": request.build_absolute_uri(system.get_absolute_url()),
    }
