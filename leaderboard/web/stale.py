"""A form that is older than the sign-in: nothing is sent, nothing typed is lost, and it is said what to do.

In another tab somebody signed in again (which changes the CSRF token), as the same account or as another one, or signed
out; or the session ended. The script `stale.js` asks whose session it is now and goes on by itself where that is the
account that the form was opened by. Without script there is a page that holds what was typed, to be sent once more.
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

#: Tells the script that a form was refused for its age.
HEADER = "X-Stale-Form"
TOKEN = "csrfmiddlewaretoken"
#: Reasons of Django that name another site than this one.
FROM_ELSEWHERE = ("Origin checking", "Referer checking")


@never_cache
@require_safe
def now(request: HttpRequest) -> HttpResponse:
    """Whose session this is (empty: nobody's), and the token that its forms need. No other site can read it."""
    return JsonResponse({"account": request.user.get_username(), "token": get_token(request)})


def csrf_failure(request: HtmxRequest, reason: str = "") -> HttpResponse:
    """The CSRF token is not that of this browser's session."""
    if not _is_from_here(request, reason):
        return render(request, "stale.html", {"from_elsewhere": True}, status=403)
    return _kept(request)


def signed_out(request: HtmxRequest) -> HttpResponse:
    """A form of somebody whose session has ended."""
    return _kept(request)


def _is_from_here(request: HttpRequest, reason: str) -> bool:
    """Whether a page of ours sent a form. What another site wrote into one is not offered to be sent.

    Django names the token only after it has found the Origin good, or under HTTPS the Referer; over HTTP an old browser
    sends neither.
    """
    from_here = (
        "Origin" in request.headers
        or request.is_secure()
        or request.headers.get("Sec-Fetch-Site") == "same-origin"
    )
    return from_here and not reason.startswith(FROM_ELSEWHERE)


def _kept(request: HtmxRequest) -> HttpResponse:
    """The page that holds what was typed; for the script, which holds it itself, only a sign."""
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
    """(name, value) of each field but the token and passwords, which nobody writes into a page."""
    for name, values in request.POST.lists():
        if name != TOKEN and not _is_password(name):
            for value in values:
                yield name, str(value)


def _is_password(name: str) -> bool:
    return "password" in name
