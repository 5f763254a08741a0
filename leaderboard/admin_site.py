"""The site's admin: Django's admin with the page *Attention* and a limit on failed sign-ins."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path


class BenchmarkAdminConfig(AdminConfig):
    default_site = "leaderboard.admin_site.BenchmarkAdminSite"


class BenchmarkAdminSite(AdminSite):
    site_header = site_title = "Benchmarks"
    index_title = "Freeze presets, retire versions, moderate submissions"

    def get_urls(self) -> list[Any]:
        from leaderboard.admin import incidents_page  # the models are not loaded when the site is made

        return [
            path("attention/", self.admin_view(incidents_page.page), name="attention"),
            path("attention/again/", self.admin_view(incidents_page.again), name="attention_again"),
            *super().get_urls(),
        ]

    def login(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> HttpResponse:
        from allauth.account.decorators import secure_admin_login  # needs the models, too

        # allauth limits wrong passwords; the admin's own form does not.
        response: HttpResponse = secure_admin_login(super().login)(request, extra_context)
        return response

    def index(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> TemplateResponse:
        from leaderboard.admin import incidents_page

        return super().index(request, {**(extra_context or {}), **incidents_page.summary(request)})
