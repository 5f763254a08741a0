"""Systems: what was tested, by whom, and how often."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema

from leaderboard.accounts import permissions
from leaderboard.accounts.access import MAY_SUBMIT
from leaderboard.boards.schemas import SystemDetail, SystemOut
from leaderboard.submissions.models import Submission, System
from leaderboard.web.api.fields import Kind, Link, Name, Slug, Words
from leaderboard.web.api.openapi import problems
from leaderboard.web.api.paging import Page, Paging, by_key
from leaderboard.web.api.problems import ProblemError

router = Router(tags=["Systems"])


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
    changes = requested.model_dump(exclude_none=True)
    for name, value in changes.items():
        setattr(system, "url" if name == "link" else name, value)
    system.save(update_fields=["url" if name == "link" else name for name in changes])
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
        "parameters": system.parameters,
        "quantization": system.quantization,
        "description": system.description,
        "link": system.url,
        "url": request.build_absolute_uri(system.get_absolute_url()),
    }
