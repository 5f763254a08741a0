"""Template variables of every page."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

#: Backends that do not send mail.
UNSENT = {f"django.core.mail.backends.{kind}.EmailBackend" for kind in ("console", "dummy", "filebased")}


def mail_goes_out() -> bool:
    return settings.EMAIL_BACKEND not in UNSENT


def site(request: HttpRequest) -> dict[str, object]:
    return {
        "SITE_NAME": settings.SITE_NAME,
        "SOURCE_URL": settings.SOURCE_URL,
        "MAIL_GOES_OUT": mail_goes_out(),
    }
