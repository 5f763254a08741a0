"""Who may do what with what is not one's own: every act asks for one of these permissions, and names it by this file.

To be staff means no more than to be let into the admin. Superusers have every permission.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase

VIEW_SUBMISSION = "leaderboard.view_submission"
PUBLISH_SUBMISSION = "leaderboard.publish_submission"
WITHDRAW_SUBMISSION = "leaderboard.withdraw_submission"
REGRADE_SUBMISSION = "leaderboard.regrade_submission"
DOWNLOAD_PREDICTIONS = "leaderboard.download_predictions"
EXCEED_QUOTA = "leaderboard.exceed_quota"
CHANGE_SYSTEM = "leaderboard.change_system"
VIEW_GOLD = "leaderboard.view_gold"
CHANGE_PRESET = "leaderboard.change_preset"
CHANGE_VERSION = "leaderboard.change_version"
VIEW_RUN = "leaderboard.view_run"
ADD_RUN = "leaderboard.add_run"
CANCEL_RUN = "leaderboard.cancel_run"
RESUME_RUN = "leaderboard.resume_run"
VIEW_MODEL = "leaderboard.view_modelfile"
ADD_MODEL = "leaderboard.add_modelfile"
REMOVE_MODEL = "leaderboard.delete_modelfile"
RUN_CONFORMANCE = "leaderboard.run_conformance"
#: What each allows. docs/operations.md has the same table.
ALLOWS = {
    VIEW_SUBMISSION: "read private submissions, and what the intake checks found in any",
    PUBLISH_SUBMISSION: "make a submission public or private",
    WITHDRAW_SUBMISSION: "withdraw a submission",
    REGRADE_SUBMISSION: "grade a submission again",
    DOWNLOAD_PREDICTIONS: "download the predictions of a submission",
    EXCEED_QUOTA: "submit without a daily limit",
    CHANGE_SYSTEM: "change the description of a system",
    VIEW_GOLD: "see what gives away withheld gold: right answers row by row, exact figures, "
    "evidence of intake checks, the seeds of a version",
    CHANGE_PRESET: "change a preset, freeze it into a version, import rows",
    CHANGE_VERSION: "feature, verify, retire a version; freeze or import again what failed",
    VIEW_RUN: "see runs and benches",
    ADD_RUN: "start a run or a bench, and estimate how long it takes",
    CANCEL_RUN: "cancel a run or a bench",
    RESUME_RUN: "resume a run or a bench",
    VIEW_MODEL: "see the registered model files",
    ADD_MODEL: "register a model file",
    REMOVE_MODEL: "remove a registered model file",
    RUN_CONFORMANCE: "have our own implementation checked for conformance again",
}
#: Looking at what the pages of the admin show.
_LOOK = tuple(
    f"leaderboard.view_{name}"
    for name in ("benchmark", "conformancereport", "event", "preset", "score", "system", "version")
)
#: The groups that a migration makes. Nobody is put into one.
GROUPS = {
    "Moderators": (
        *_LOOK,
        VIEW_SUBMISSION,
        PUBLISH_SUBMISSION,
        WITHDRAW_SUBMISSION,
        REGRADE_SUBMISSION,
        CHANGE_SYSTEM,
    ),
    "Maintainers": (
        *_LOOK,
        *ALLOWS,
        "leaderboard.change_benchmark",
        "leaderboard.add_preset",
        "leaderboard.delete_version",
        "leaderboard.delete_conformancereport",
    ),
}
View = Callable[..., HttpResponseBase]


def may(user: Any, permission: str) -> bool:
    """Whether this caller has a permission: an account, or a token, which needs the scope `staff` for any.

    Args:
        user: The account; behind a token its owner, as `access.Token` has marked it.
        permission: One of this file (`leaderboard.add_run`).
    """
    return not getattr(user, "leaves_permissions_out", False) and bool(user.has_perm(permission))


def holders_of(permission: str) -> Callable[[Any], bool]:
    """Whether a caller has this permission, to be asked later."""
    return lambda user: may(user, permission)


def refusal(permission: str) -> str:
    """What to say to somebody who lacks a permission: which one, and who gives it."""
    return f"To {ALLOWS[permission]}, an account needs the permission {permission}. A superuser can give it."


def has_any(user: Any) -> bool:
    """Whether an account may do anything at all beyond what is its own, so that a scope for that is worth having."""
    return any(may(user, permission) for permission in ALLOWS)


def needs(permission: str) -> Callable[[View], View]:
    """Let only those see a page who have this permission."""

    def guard(view: View) -> View:
        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not may(request.user, permission):
                raise PermissionDenied(refusal(permission))
            return view(request, *args, **kwargs)

        return guarded

    return guard
