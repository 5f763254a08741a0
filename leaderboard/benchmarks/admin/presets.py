"""Admin of benchmarks and presets: edit settings, preview a row, freeze a version, import rows."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html

from evaluation.core.errors import BenchmarkError
from leaderboard.accounts import permissions
from leaderboard.benchmarks import freezing, importing
from leaderboard.benchmarks.forms import ImportForm, PresetForm
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.benchmarks.sealing import attacked, twins
from leaderboard.benchmarks.settings_fields import PREFIX, settings_fields
from leaderboard.web.admin import PrintableForm, too_large
from leaderboard.web.generic import ModelAdmin
from leaderboard.web.upload_handlers import takes_imports


@admin.register(Benchmark)
class BenchmarkAdmin(ModelAdmin[Benchmark]):
    form = PrintableForm
    list_display = ("title", "suite", "position")
    readonly_fields = ("suite",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Preset)
class PresetAdmin(ModelAdmin[Preset]):
    list_display = ("name", "benchmark", "title", "versions_link", "created_at")
    list_filter = ("benchmark",)
    search_fields = ("name", "title")
    form = PresetForm
    change_form_template = "admin/leaderboard/preset/change_form.html"

    def get_fieldsets(self, request: HttpRequest, obj: Preset | None = None) -> Any:
        """Fieldsets with general fields, a field per setting, and all settings as JSON."""
        about = ["benchmark", "name", "title", "description"]
        benchmark = obj.benchmark if obj else _benchmark_of(request)
        may_change = obj is None or self.has_change_permission(request, obj)
        if benchmark is None or not may_change:  # view-only pages have no setting fields
            return [(None, {"fields": [*about, "settings"]})]
        paths = settings_fields(benchmark.engine.settings.model_json_schema())
        inner = sorted({path.partition(".")[0] for path in paths if "." in path})
        groups = [("Settings", [path for path in paths if "." not in path])]
        groups += [
            (name.capitalize(), [path for path in paths if path.startswith(f"{name}.")]) for name in inner
        ]
        return [
            (None, {"fields": [*about, "by_field"]}),
            *((title, {"fields": [PREFIX + path for path in group]}) for title, group in groups),
            (
                "All settings as JSON, including lists of objects",
                {"fields": ["settings"], "classes": ["collapse"]},
            ),
        ]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        """Ask first whether to start from a copy or from the defaults of a benchmark."""
        if request.method == "POST" or _benchmark_of(request) is not None:
            return super().add_view(request, form_url, extra_context)
        if not self.has_add_permission(request):
            raise PermissionDenied
        context = {
            "title": "New preset: where to start",
            "benchmarks": Benchmark.objects.prefetch_related("presets"),
        }
        return TemplateResponse(
            request, "admin/leaderboard/preset/start.html", self.admin_site.each_context(request) | context
        )

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Initial values of a copy: all values of the copied preset except the name."""
        initial: dict[str, Any] = super().get_changeform_initial_data(request)
        named = request.GET.get("copy", "")
        copied = Preset.objects.filter(pk=named).first() if named.isdecimal() else None
        if copied is None:
            return initial
        fields = {"title": copied.title, "description": copied.description, "settings": copied.settings}
        return initial | fields | {"benchmark": copied.benchmark_id}

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is None or self.has_change_permission(request, obj):
            # The form makes the setting fields itself; Django would look for them on the model.
            kwargs |= {"fields": None}
        return super().get_form(request, obj, change, **kwargs)

    def save_model(self, request: HttpRequest, obj: Preset, form: Any, change: bool) -> None:
        author: Any = request.user  # never anonymous in the admin
        obj.created_by = obj.created_by or author
        super().save_model(request, obj, form, change)

    @admin.display(description="Versions")
    def versions_link(self, preset: Preset) -> str:
        url = f"{reverse('admin:leaderboard_version_changelist')}?preset__id__exact={preset.pk}"
        return format_html('<a href="{}">{}</a>', url, preset.versions.count())

    def get_urls(self) -> list[Any]:
        bring = self.admin_site.admin_view(self.import_rows)
        return [path("<int:pk>/import/", bring, name="leaderboard_preset_import"), *super().get_urls()]

    @takes_imports(permissions.holders_of(permissions.CHANGE_PRESET))
    def import_rows(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Import rows of a published data set as a version: checked quickly here, then read and frozen by a worker."""
        preset = get_object_or_404(Preset.objects.select_related("benchmark"), pk=pk)
        if not self.has_change_permission(request, preset):
            return HttpResponse(status=403)
        sent = request.method == "POST"
        form = ImportForm(request.POST, request.FILES) if sent else ImportForm()
        if too_large(request):
            form.refuse_size()
        elif form.is_valid():
            try:
                version = form.start(preset, sent_by=request.user)
            except (*importing.REFUSALS, BenchmarkError) as error:
                form.add_error("file", str(error))
            else:
                messages.success(
                    request, f"Received. A worker reads and freezes {version}. This page shows the progress."
                )
                return HttpResponseRedirect(reverse("admin:leaderboard_version_change", args=[version.pk]))
        context = self.admin_site.each_context(request) | {
            "title": "Import rows into a version",
            "preset": preset,
            "form": form,
            "max_bytes": settings.IMPORT_MAX_BYTES,
            "public_gold": preset.settings.get("public_gold"),
        }
        return TemplateResponse(
            request, "admin/leaderboard/preset/import.html", context, status=422 if form.errors else 200
        )

    def response_change(self, request: HttpRequest, obj: Preset) -> HttpResponse:
        """Freeze the preset if this was requested: after saving, so that the settings on the page are frozen."""
        if not {"_freeze", "_freeze_open"} & request.POST.keys():
            return super().response_change(request, obj)
        try:
            versions = _start(obj, open_demo="_freeze_open" in request.POST)
        except (BenchmarkError, freezing.FreezeError) as error:
            messages.error(request, str(error))
            return HttpResponseRedirect(obj.get_admin_url())
        named = " and ".join(map(str, versions))
        messages.success(
            request,
            f"Freezing {named}. This page shows the progress{' of the first' if len(versions) > 1 else ''}.",
        )
        return HttpResponseRedirect(reverse("admin:leaderboard_version_change", args=[versions[0].pk]))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        preset = self.get_object(request, object_id)
        return super().change_view(
            request,
            object_id,
            form_url,
            {**(extra_context or {}), **_preview(preset), **_sample_attacks(request, preset)},
        )


def _benchmark_of(request: HttpRequest) -> Benchmark | None:
    named = request.POST.get("benchmark") or request.GET.get("benchmark", "")
    copied = request.GET.get("copy", "")
    if not named.isdecimal() and copied.isdecimal():
        return Benchmark.objects.filter(presets=int(copied)).first()
    return Benchmark.objects.filter(pk=int(named)).first() if named.isdecimal() else None


def _sample_attacks(request: HttpRequest, preset: Preset | None) -> dict[str, object]:
    if preset is None or "attack" not in request.GET:
        return {}
    try:
        report = attacked.sample(preset)
    except BenchmarkError:
        return {}  # the preview says why
    return {"sample_attacks": report, "sample_units": attacked.SAMPLE_UNITS}


@transaction.atomic
def _start(preset: Preset, *, open_demo: bool) -> list[Version]:
    versions = freezing.start_each(preset=preset, open_demo=open_demo)
    for version in versions:
        if not open_demo and not twins.why_none(version):
            twins.make(version)
    return versions


def _preview(preset: Preset | None) -> dict[str, object]:
    if preset is None:
        return {}
    try:
        row, outlook = freezing.preview(preset), freezing.outlook(preset)
    except (BenchmarkError, StopIteration) as error:
        return {"preview_error": str(error)}
    return {"preview": json.dumps(row, indent=2, ensure_ascii=False), "outlook": outlook}
