"""Permissions for acts on rows of other accounts. Each act requires one of the permissions listed here.

Staff status alone only opens the admin. Superusers have all permissions.
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
APPROVE_SUBMISSION = "leaderboard.approve_submission"
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
VIEW_ACTS = "leaderboard.view_staffact"
#: Permission → the act it allows. docs/accounts.md has the same table.
ALLOWS = {
    VIEW_SUBMISSION: "read private submissions, and the findings of intake checks",
    PUBLISH_SUBMISSION: "make a submission public or private",
    WITHDRAW_SUBMISSION: "withdraw a submission",
    APPROVE_SUBMISSION: "approve or refuse a result for boards",
    REGRADE_SUBMISSION: "grade a submission again",
    DOWNLOAD_PREDICTIONS: "download the predictions of a submission",
    EXCEED_QUOTA: "submit without a daily limit",
    CHANGE_SYSTEM: "change the description of a system",
    VIEW_GOLD: "see data that reveal withheld gold: right answers row by row, exact scores, "
    "evidence of intake checks, the seeds of a version",
    CHANGE_PRESET: "change a preset, freeze it into a version, import rows",
    CHANGE_VERSION: "feature, verify or retire a version; repeat a failed freeze or import",
    VIEW_RUN: "see runs and benches",
    ADD_RUN: "start a run or a bench, and estimate how long it takes",
    CANCEL_RUN: "cancel a run or a bench",
    RESUME_RUN: "resume a run or a bench",
    VIEW_MODEL: "see the registered model files",
    ADD_MODEL: "register a model file",
    REMOVE_MODEL: "remove a registered model file",
    RUN_CONFORMANCE: "repeat the conformance check of our own implementation",
    VIEW_ACTS: "see the log of staff acts",
}
#: Read access to the pages of the admin.
_LOOK = tuple(
    f"leaderboard.view_{name}"
    for name in ("benchmark", "conformancereport", "event", "preset", "score", "system", "version")
)
#: The groups that a migration makes, without members.
GROUPS = {
    "Moderators": (
        *_LOOK,
        VIEW_SUBMISSION,
        PUBLISH_SUBMISSION,
        WITHDRAW_SUBMISSION,
        APPROVE_SUBMISSION,
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
    """True if the account has the permission; False if it signed in with a token without the scope `staff`."""
    return not getattr(user, "leaves_permissions_out", False) and bool(user.has_perm(permission))


def holders_of(permission: str) -> Callable[[Any], bool]:
    """A predicate that is True for users with the permission."""
    return lambda user: may(user, permission)


def refusal(permission: str) -> str:
    act = ALLOWS.get(permission, "do that")
    return f"To {act}, an account needs the permission {permission}. A superuser can give it."


def has_any(user: Any) -> bool:
    """True if the account has at least one permission; only then is a token with the scope `staff` useful."""
    return any(may(user, permission) for permission in ALLOWS)


def needs(permission: str) -> Callable[[View], View]:
    """Decorator that restricts a page to users with the permission."""

    def guard(view: View) -> View:
        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not may(request.user, permission):
                raise PermissionDenied(refusal(permission))
            return view(request, *args, **kwargs)

        return guarded

    return guard
