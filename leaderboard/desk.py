"""The maintainer's desk: Django's admin with one page of its own, on which everything that needs somebody is listed."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest, HttpResponse
from django.urls import path


class DeskConfig(AdminConfig):
    """`django.contrib.admin` with this desk as its site."""

    default_site = "leaderboard.desk.Desk"


class Desk(AdminSite):
    """The admin site. Its first page says how much needs attention."""

    site_header = site_title = "Benchmarks"
    index_title = "Freeze presets, retire versions, look after submissions"

    def get_urls(self) -> list[Any]:
        from leaderboard.admin import attention  # the models are not loaded when the site is made

        return [
            path("attention/", self.admin_view(attention.page), name="attention"),
            path("attention/again/", self.admin_view(attention.again), name="attention_again"),
            *super().get_urls(),
        ]

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The site's own sign-in, which counts wrong passwords; the admin's does not."""
        from allauth.account.decorators import secure_admin_login  # needs the models, too

        return secure_admin_login(super().login)(request, extra_context)

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        from leaderboard.admin import attention

        return super().index(request, {**(extra_context or {}), **attention.summary(request)})
