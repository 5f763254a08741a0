"""Admin of versions: read-only once frozen, with actions to freeze again after a failure, verify and retire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.timesince import timesince
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal.wording import number_of
from leaderboard.accounts import permissions
from leaderboard.benchmarks import freezing, importing, sources
from leaderboard.benchmarks.forms import CorrectedFileForm, RetireForm
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.models.version import OUR_LICENCE
from leaderboard.benchmarks.sealing import twins, verifying
from leaderboard.web.admin import PrintableForm, too_large
from leaderboard.web.formatting import day
from leaderboard.web.generic import ModelAdmin
from leaderboard.web.upload_handlers import takes_imports


@admin.register(Version)
class VersionAdmin(ModelAdmin[Version]):
    """Admin of versions, in which only `EDITABLE` fields may change."""

    form = PrintableForm

    list_display = ("title", "address", "state", "row_count", "short_hash", "frozen")
    list_filter = ("benchmark", "status", ("preset", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("benchmark",)
    search_fields = ("title", "slug", "sha256")
    actions = ("retry", "verify", "make_twins")
    change_form_template = "admin/leaderboard/version/change_form.html"
    EDITABLE = ("title", "description", "licence", "featured", "upload_limit")
    NAMED = ("benchmark", "preset", "slug", "twin_of", *EDITABLE, "settings", "created_at")
    SEALED = (
        "row_count", "unit_count", "conditions", "public_gold", "grader", "sha256", "rows_sha256", "gold_sha256",
        "source_sha256", "rows_bytes", "figure_step", "frozen_at", "retired_at", "hashes",
    )  # fmt: skip

    def get_fields(self, request: HttpRequest, obj: Version | None = None) -> tuple[str, ...]:
        """Fields to show. Hides results of an unfinished freeze, and settings with secret seeds without `view_gold`."""
        fields = ["status", "progress", *self.NAMED, *(self.SEALED if obj and obj.is_final else ())]
        tells_gold = obj is not None and not obj.disclosure.shows_seeds
        if tells_gold and not permissions.may(request.user, permissions.VIEW_GOLD):
            fields.remove("settings")
        return tuple(fields)

    def get_readonly_fields(self, request: HttpRequest, obj: Version | None = None) -> list[str]:
        return [name for name in self.get_fields(request, obj) if name not in self.EDITABLE]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        # Filtering would reveal seeds and metrics digit by digit.
        secret = lookup.partition("__")[0] in ("settings", "attacks", "guessing")
        return not secret and super().lookup_allowed(lookup, value, request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Version | None = None) -> bool:
        failed = obj is not None and obj.status == Version.Status.FAILED
        return failed and super().has_delete_permission(request, obj)

    def delete_model(self, request: HttpRequest, obj: Version) -> None:
        freezing.forget(obj)

    def save_model(self, request: HttpRequest, obj: Version, form: Any, change: bool) -> None:
        # An empty licence means ours.
        obj.licence = obj.licence or OUR_LICENCE
        super().save_model(request, obj, form, change)
        # Only one version is featured.
        if obj.featured:
            Version.objects.exclude(pk=obj.pk).filter(featured=True).update(featured=False)

    def get_urls(self) -> list[Any]:
        routes: dict[str, Callable[..., HttpResponse]] = {
            "again": self.freeze_again,
            "corrected": self.send_corrected,
            "verify": self.verify_one,
            "twin": self.make_twin,
        }
        retire = self.admin_site.admin_view(require_http_methods(["GET", "HEAD", "POST"])(self.retire_one))
        return [
            path("<int:pk>/retire/", retire, name="leaderboard_version_retire"),
            *(
                path(
                    f"<int:pk>/{name}/",
                    self.admin_site.admin_view(require_POST(view)),
                    name=f"leaderboard_version_{name}",
                )
                for name, view in routes.items()
            ),
            *super().get_urls(),
        ]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        version = self.get_object(request, object_id)
        failed = version is not None and version.status == Version.Status.FAILED
        context = {
            "corrected_form": CorrectedFileForm() if failed and version and version.is_import else None,
            "may_have_twin": version is not None and version.is_final and not twins.why_none(version),
            "may_freeze_again": failed and version is not None and sources.is_there(version),
        }
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **context})

    @admin.display(description="SHA-256")
    def short_hash(self, version: Version) -> str:
        return format_html("<code>{}</code>", version.sha256[:12]) if version.sha256 else "–"

    @admin.display(ordering="slug")
    def address(self, version: Version) -> str:
        return f"{version.benchmark.slug}/{version.slug}"

    @admin.display(description="Status", ordering="status")
    def state(self, version: Version) -> str:
        """Status of the version, with "featured" if it is featured, and with the progress of an unfinished freeze."""
        words = version.get_status_display() + (", featured" if version.featured else "")
        return words if version.is_final else format_html("{}, {}", words, self.progress(version))

    @admin.display(description="Frozen", ordering="frozen_at")
    def frozen(self, version: Version) -> str:
        return day(version.frozen_at) if version.frozen_at else "–"

    @admin.display
    def progress(self, version: Version) -> str:
        """Progress of the freeze in generated units, or in MB of an imported file."""
        if version.status == Version.Status.DRAFT:
            later = version.next_attempt_at
            return f"waiting; next attempt at {later:%H:%M:%S} UTC" if later else "waiting for a worker"
        bar = format_html('<progress max="100" value="{0}">{0}%</progress>', version.percent)
        done, total = version.progress_done, version.progress_total
        if version.upload and not version.is_final:
            if not total:
                return "opening the file"
            return format_html("{} {} of {} MB read", bar, f"{done / 1024:,.1f}", f"{total / 1024:,.1f}")
        return format_html("{} {} of {} units", bar, f"{done:,}", f"{total:,}" if total else "?")

    @admin.display
    def hashes(self, version: Version) -> str:
        if version.verified_at is None:
            return "not recomputed since the freeze"
        outcome = "do not match" if version.damage else "match"
        return f"{outcome}; recomputed {timesince(version.verified_at)} ago"

    def view_on_site(self, version: Version) -> str | None:
        return version.get_absolute_url() if version.is_final else None

    # --- pages and buttons of one version

    def freeze_again(self, request: HttpRequest, pk: int) -> HttpResponse:
        version = self._changeable(request, pk)
        try:
            freezing.retry(version)
        except freezing.FreezeError as error:
            return self._back(request, version, str(error), messages.ERROR)
        return self._back(request, version, f"Freezing {version} again. This page shows the progress.")

    @takes_imports(permissions.holders_of(permissions.CHANGE_VERSION))
    def send_corrected(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Receive a corrected file for a failed import. The version keeps its slug and title."""
        version = self._changeable(request, pk)
        form = CorrectedFileForm(request.POST, request.FILES)
        if too_large(request):
            form.refuse_size()
        elif form.is_valid():
            try:
                importing.repeat(version, form.cleaned_data["file"], sent_by=request.user)
            except (*importing.REFUSALS, BenchmarkError) as error:
                form.add_error("file", str(error))
        if reasons := form.errors.get("file"):
            return self._back(request, version, f"Nothing was imported. {reasons[0]}", messages.ERROR)
        return self._back(
            request, version, f"Received. A worker reads and freezes {version}. This page shows the progress."
        )

    def verify_one(self, request: HttpRequest, pk: int) -> HttpResponse:
        version = self._changeable(request, pk)
        verifying.enqueue_verification(version)
        return self._back(
            request,
            version,
            "A worker is recomputing the hashes. Reload this page to see the result under “Hashes”.",
        )

    def retire_one(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Retire the version if its name was typed correctly. Retiring publishes its seeds for good."""
        version = self._changeable(request, pk)
        if not version.is_open:
            return self._back(request, version, "Only a frozen version can be retired.", messages.ERROR)
        form = RetireForm(request.POST if request.method == "POST" else None, version=version)
        if not form.is_valid():
            public = version.submissions.filter(visibility="public", status="graded").count()
            context = {"title": f"Retire {version}?", "version": version, "form": form, "public": public}
            return TemplateResponse(
                request,
                "admin/leaderboard/version/retire.html",
                self.admin_site.each_context(request) | context,
                status=422 if form.is_bound else 200,
            )
        version.retire()
        return self._back(
            request, version, f"{version} is retired. It takes no more submissions; its pages stay readable."
        )

    def make_twin(self, request: HttpRequest, pk: int) -> HttpResponse:
        version = self._changeable(request, pk)
        try:
            twin = twins.make(version)
        except (freezing.FreezeError, BenchmarkError) as error:
            return self._back(request, version, str(error), messages.ERROR)
        return self._back(request, twin, f"Freezing {twin}. This page shows the progress.")

    def _changeable(self, request: HttpRequest, pk: int) -> Version:
        version = get_object_or_404(Version.objects.select_related("benchmark"), pk=pk)
        if not self.has_change_permission(request, version):
            raise PermissionDenied
        return version

    def _back(
        self, request: HttpRequest, version: Version, text: str, level: int = messages.SUCCESS
    ) -> HttpResponse:
        messages.add_message(request, level, text)
        return HttpResponseRedirect(reverse("admin:leaderboard_version_change", args=[version.pk]))

    # --- actions on several versions

    @admin.action(description="Freeze failed versions again", permissions=["change"])
    def retry(self, request: HttpRequest, queryset: Any) -> None:
        done = 0
        for version in queryset.filter(status=Version.Status.FAILED):
            try:
                freezing.retry(version)
                done += 1
            except freezing.FreezeError as error:
                messages.error(request, f"{version}: {error}")
        _tell(request, done, "queued", "None of the selected versions can be frozen again.")

    @admin.action(description="Make public twins", permissions=["change"])
    def make_twins(self, request: HttpRequest, queryset: Any) -> None:
        done = 0
        for version in queryset.filter(status__in=Version.FINAL):
            try:
                twins.make(version)
                done += 1
            except (freezing.FreezeError, BenchmarkError) as error:
                messages.error(request, f"{version}: {error}")
        _tell(request, done, "getting a public twin", "None of the selected versions can get a public twin.")

    @admin.action(description="Recompute the hashes", permissions=["change"])
    def verify(self, request: HttpRequest, queryset: Any) -> None:
        frozen = list(queryset.filter(status__in=Version.FINAL))
        for version in frozen:
            verifying.enqueue_verification(version)
        _tell(
            request,
            len(frozen),
            "being verified by a worker",
            "None of the selected versions is frozen, so there are no hashes to recompute.",
        )


def _tell(request: HttpRequest, done: int, what: str, otherwise: str) -> None:
    if done:
        messages.success(request, f"{number_of(done, 'version is', 'versions are')} {what}.")
    else:
        messages.warning(request, otherwise)
