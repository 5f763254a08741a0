"""Forms older than the session: nothing is saved, no input is lost, and the page says what to do.

A form becomes too old if the session expires, or if the user signs out or in again in another tab, which changes the
CSRF token. The script `stale.js` asks for the present account, and submits the form again if the same account opened
it. Without the script, a page shows the input to be sent again.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.web.requests import HtmxRequest

#: Tells the script that a form was refused as stale.
HEADER = "X-Stale-Form"
TOKEN = "csrfmiddlewaretoken"
#: Django's reasons for requests of other sites.
FROM_ELSEWHERE = ("Origin checking", "Referer checking")


@never_cache
@require_safe
def now(request: HttpRequest) -> HttpResponse:
    """JSON with the session's account (empty if signed out) and CSRF token. Other sites cannot read it."""
    return JsonResponse({"account": request.user.get_username(), "token": get_token(request)})


def csrf_failure(request: HtmxRequest, reason: str = "") -> HttpResponse:
    if not _is_from_here(request, reason):
        return render(request, "stale.html", {"from_elsewhere": True}, status=403)
    return _kept(request)


def signed_out(request: HtmxRequest) -> HttpResponse:
    return _kept(request)


def _is_from_here(request: HttpRequest, reason: str) -> bool:
    """True if one of our pages sent the form. Input from other sites must not be offered for submission.

    Django checks the Origin, or under HTTPS the Referer, before the token. So a form that fails only the token check is
    ours, except over HTTP, where old browsers send neither header.
    """
    from_here = (
        "Origin" in request.headers
        or request.is_secure()
        or request.headers.get("Sec-Fetch-Site") == "same-origin"
    )
    return from_here and not reason.startswith(FROM_ELSEWHERE)


def _kept(request: HtmxRequest) -> HttpResponse:
    """Response to a refused form: a page with the input, or only a header if a script sent the form."""
    if request.htmx:
        return HttpResponse(status=403, headers={HEADER: "1"})
    typed = list(_typed(request))
    context = {
        "address": request.get_full_path(),
        "typed": typed,
        "passwords": [name for name in request.POST if _is_password(name)],
        "files": list(request.FILES),
        "sign_in": redirect_to_login(request.get_full_path()).url,
    }
    return render(request, "stale.html", context, status=403)


def _typed(request: HttpRequest) -> Iterator[tuple[str, str]]:
    """(name, value) of each field except the token and passwords, which must not be written into a page."""
    for name, values in request.POST.lists():
        if name != TOKEN and not _is_password(name):
            for value in values:
                yield name, str(value)


def _is_password(name: str) -> bool:
    return "password" in name
