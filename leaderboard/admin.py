"""The maintainer's desk: write presets, freeze them into versions, watch, retire."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html, format_html_join
from django.views.decorators.http import require_POST

from evaluation.errors import BenchmarkError
from leaderboard import freezing, importing, submissions
from leaderboard.models import (
    Benchmark,
    ConformanceReport,
    Event,
    ModelFile,
    Preset,
    Run,
    Score,
    Submission,
    System,
    Version,
)

admin.site.site_header = admin.site.site_title = "Benchmarks"
admin.site.index_title = "Freeze presets, retire versions, look after submissions"


class ReadOnlyAdmin(admin.ModelAdmin):
    """Shown, never edited by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Benchmark)
class BenchmarkAdmin(admin.ModelAdmin):
    list_display = ("title", "suite", "position")
    readonly_fields = ("suite",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ImportForm(forms.Form):
    """A file of rows with gold, and what its version is called."""

    file = forms.FileField(
        label="Rows", help_text="JSON lines with answers, as the data set was released.", max_length=200
    )
    title = forms.CharField(max_length=120, required=False, help_text="Empty: the preset's title.")
    slug = forms.SlugField(
        max_length=60, required=False, help_text="Part of the address. Empty: the preset's name."
    )

    def start(self, preset: Preset) -> Version:
        """The draft of the version. Raises ImportRefusedError."""
        data = self.cleaned_data
        return importing.start(
            preset, data["file"].temporary_file_path(), slug=data["slug"], title=data["title"]
        )


@admin.register(Preset)
class PresetAdmin(admin.ModelAdmin):
    """Settings are validated by the suite; the page shows a generated row and freezes with one button."""

    list_display = ("name", "benchmark", "title", "versions_link", "created_at")
    list_filter = ("benchmark",)
    search_fields = ("name", "title")
    exclude = ("created_by",)
    change_form_template = "admin/leaderboard/preset/change_form.html"

    def save_model(self, request: HttpRequest, obj: Preset, form: Any, change: bool) -> None:
        obj.created_by = obj.created_by or request.user  # type: ignore[assignment]
        super().save_model(request, obj, form, change)

    @admin.display(description="Versions")
    def versions_link(self, preset: Preset) -> str:
        url = f"{reverse('admin:leaderboard_version_changelist')}?preset__id__exact={preset.pk}"
        return format_html('<a href="{}">{}</a>', url, preset.versions.count())

    def get_urls(self) -> list[Any]:
        freeze = self.admin_site.admin_view(require_POST(self.freeze))
        bring = self.admin_site.admin_view(self.import_rows)
        return [
            path("<int:pk>/freeze/", freeze, name="leaderboard_preset_freeze"),
            path("<int:pk>/import/", bring, name="leaderboard_preset_import"),
            *super().get_urls(),
        ]

    def import_rows(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Rows of a published data set as a version of this preset: checked whole, then frozen by a worker."""
        preset = get_object_or_404(Preset.objects.select_related("benchmark"), pk=pk)
        if not self.has_change_permission(request, preset):
            return HttpResponse(status=403)
        form = ImportForm(request.POST or None, request.FILES or None)
        if getattr(request, "upload_too_large", False):
            form.errors.clear()
            form.add_error(
                "file", f"The file is larger than {settings.UPLOAD_MAX_BYTES >> 20} MB. Send it gzipped."
            )
        elif form.is_valid():
            try:
                version = form.start(preset)
            except (importing.ImportRefusedError, BenchmarkError, freezing.FreezeError) as error:
                form.add_error("file", str(error))
            else:
                messages.success(request, f"Freezing {version}. This page follows it.")
                return HttpResponseRedirect(reverse("admin:leaderboard_version_change", args=[version.pk]))
        context = self.admin_site.each_context(request) | {
            "title": "Import rows into a version",
            "preset": preset,
            "form": form,
            "max_bytes": settings.UPLOAD_MAX_BYTES,
            "public_gold": preset.settings.get("public_gold"),
        }
        return TemplateResponse(
            request, "admin/leaderboard/preset/import.html", context, status=422 if form.errors else 200
        )

    def freeze(self, request: HttpRequest, pk: int) -> HttpResponse:
        preset = get_object_or_404(Preset, pk=pk)
        if not self.has_change_permission(request, preset):
            return HttpResponse(status=403)
        try:
            version = freezing.start(preset=preset, secret="secret" in request.GET)
        except (BenchmarkError, freezing.FreezeError) as error:
            messages.error(request, str(error))
            return HttpResponseRedirect(preset.get_admin_url())
        messages.success(request, f"Freezing {version}. This page follows it.")
        return HttpResponseRedirect(reverse("admin:leaderboard_version_change", args=[version.pk]))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        preset = Preset.objects.filter(pk=object_id).select_related("benchmark").first()
        return super().change_view(
            request, object_id, form_url, {**(extra_context or {}), **_preview(preset)}
        )


def _preview(preset: Preset | None) -> dict[str, Any]:
    """One generated row for the preset's page, or the reason why there is none."""
    if preset is None:
        return {}
    try:
        row = freezing.preview(preset)
    except (BenchmarkError, StopIteration) as error:
        return {"preview_error": str(error)}
    return {"preview": json.dumps(row, indent=2, ensure_ascii=False)}


@admin.register(Version)
class VersionAdmin(admin.ModelAdmin):
    """Frozen versions are shown, never edited. Only title, description and "featured" may change."""

    list_display = ("title", "benchmark", "status", "progress", "row_count", "short_hash", "frozen_at")
    list_filter = ("benchmark", "status", ("preset", admin.RelatedOnlyFieldListFilter))
    search_fields = ("title", "slug", "sha256")
    actions = ("retire", "retry")
    change_form_template = "admin/leaderboard/version/change_form.html"
    EDITABLE = ("title", "description", "featured")

    def get_fields(self, request: HttpRequest, obj: Version | None = None) -> list[str]:
        hidden = {"id", "lease_until", "progress_done", "progress_total", "sample", "submissions"}
        names = [field.name for field in Version._meta.fields if field.name not in hidden]
        return [*names, "progress"]

    def get_readonly_fields(self, request: HttpRequest, obj: Version | None = None) -> list[str]:
        return [name for name in self.get_fields(request, obj) if name not in self.EDITABLE]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Version | None = None) -> bool:
        return obj is not None and obj.status == Version.Status.FAILED

    @admin.display(description="SHA-256")
    def short_hash(self, version: Version) -> str:
        return format_html("<code>{}</code>", version.sha256[:12]) if version.sha256 else "–"

    @admin.display
    def progress(self, version: Version) -> str:
        return format_html(
            '<progress max="100" value="{}">{}%</progress> {} of {} units',
            version.percent, version.percent, version.progress_done, version.progress_total or "?",
        )  # fmt: skip

    @admin.action(description="Retire (no more submissions; everything stays readable)")
    def retire(self, request: HttpRequest, queryset: Any) -> None:
        for version in queryset:
            version.retire()
        messages.success(request, "Retired.")

    @admin.action(description="Freeze again what failed")
    def retry(self, request: HttpRequest, queryset: Any) -> None:
        for version in queryset.filter(status=Version.Status.FAILED):
            freezing.retry(version)
        messages.success(request, "Queued.")


@admin.register(System)
class SystemAdmin(admin.ModelAdmin):
    list_display = ("name", "owner", "kind", "parameters", "quantization")
    list_filter = ("kind",)
    search_fields = ("name", "owner__username")


class EventInline(admin.TabularInline):
    model = Event
    extra = 0
    can_delete = False
    readonly_fields = ("kind", "detail", "actor", "at")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class FlaggedFilter(admin.SimpleListFilter):
    """Submissions in which the intake checks found something to look at."""

    title = "intake checks"
    parameter_name = "flagged"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Flagged"), ("no", "Nothing found")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        match self.value():
            case "yes":
                return queryset.exclude(flags=[])
            case "no":
                return queryset.filter(flags=[])
        return queryset


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = (
        "system",
        "version",
        "status",
        "visibility",
        "submitter",
        "score",
        "flagged",
        "created_at",
    )
    list_filter = (FlaggedFilter, "status", "visibility", "source", "version")
    list_select_related = ("system", "version", "submitter", "score")
    search_fields = ("id", "system__name", "submitter__username")
    inlines = (EventInline,)
    actions = ("regrade", "withdraw")

    @admin.display(description="Look at")
    def flagged(self, submission: Submission) -> str:
        """The codes of what the intake checks found; their evidence stands on the submission's page."""
        link = submission.get_absolute_url()
        return format_html_join(
            " ", '<a href="{}#checks">{}</a>', ((link, flag["code"]) for flag in submission.flags)
        )

    @admin.action(description="Grade again")
    def regrade(self, request: HttpRequest, queryset: Any) -> None:
        for submission in queryset:
            submissions.regrade(submission, actor=request.user)
        messages.success(request, "Queued for grading.")

    @admin.action(description="Withdraw")
    def withdraw(self, request: HttpRequest, queryset: Any) -> None:
        for submission in queryset:
            submissions.withdraw(submission, actor=request.user)
        messages.success(request, "Withdrawn.")


@admin.register(Score)
class ScoreAdmin(ReadOnlyAdmin):
    list_display = ("submission", "revision", "grader", "headline", "seconds", "created_at")
    list_select_related = ("submission__system", "submission__version")


@admin.register(ConformanceReport)
class ConformanceReportAdmin(ReadOnlyAdmin):
    list_display = (
        "name",
        "implementation",
        "requirements_passed",
        "passed",
        "total",
        "verified",
        "created_at",
    )
    list_filter = ("verified",)
    list_select_related = ("system",)
    ordering = ("-created_at",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)


@admin.register(ModelFile)
class ModelFileAdmin(ReadOnlyAdmin):
    """Registered and removed on the page *Models*, which reads the files."""

    list_display = ("name", "path", "architecture", "quantization", "context_length", "registered_at")


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    """Started, cancelled and resumed on the page *Runs*."""

    list_display = ("system", "version", "status", "progress_done", "progress_total", "created_at")
    list_filter = ("status", "version")
    list_select_related = ("system", "version")
