"""Monitoring endpoints: `/healthz`, `/readyz` and `/metrics`."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, JsonResponse
from django.views.decorators.cache import never_cache
from prometheus_client import CONTENT_TYPE_LATEST

from leaderboard.watch import checks, numbers
from leaderboard.web.networks import address_of


@never_cache
def health(request: HttpRequest) -> HttpResponse:
    """Answer `ok` while the process runs; checks nothing else, not even the database."""
    return JsonResponse({"status": "ok"})


@never_cache
def ready(request: HttpRequest) -> HttpResponse:
    """Answer each check with `ok` or its problem. Status 503 if any check fails, except those in `?exclude=name`."""
    found = checks.latest()
    failing = [name for name in found if name not in request.GET.getlist("exclude")]
    named = {check.name: found[check.name].problem if check.name in found else "ok" for check in checks.READY}
    answer = {"status": "unavailable" if failing else "ok", "failing": failing, "checks": named}
    return JsonResponse(answer, status=503 if failing else 200)


@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus metrics, for callers with METRICS_TOKEN or from METRICS_NETWORKS; 404 if neither is set."""
    if not settings.METRICS_TOKEN and not settings.METRICS_NETWORKS:
        return HttpResponse(
            "METRICS_TOKEN and METRICS_NETWORKS are not set.\n", status=404, content_type="text/plain"
        )
    if not (_has_token(request) or _is_near(request)):
        return HttpResponseForbidden("Send METRICS_TOKEN as a bearer token, or come from METRICS_NETWORKS.\n")
    return HttpResponse(numbers.exposition(), content_type=CONTENT_TYPE_LATEST)


def _has_token(request: HttpRequest) -> bool:
    given = request.headers.get("Authorization", "").removeprefix("Bearer ").encode()
    return bool(settings.METRICS_TOKEN) and hmac.compare_digest(given, settings.METRICS_TOKEN.encode())


def _is_near(request: HttpRequest) -> bool:
    address = address_of(request)
    return bool(address) and any(
        ipaddress.ip_address(address) in network for network in settings.METRICS_NETWORKS
    )


BY_PATH: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    "/healthz": health,
    "/readyz": ready,
    "/metrics": metrics,
}
