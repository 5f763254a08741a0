"""Admin of systems, submissions, scores, conformance reports, model files and jobs; only systems can be edited."""

from __future__ import annotations

from typing import Any, TypeVar

from django import forms
from django.contrib import admin, messages
from django.db.models import Exists, Model, OuterRef, Q
from django.http import HttpRequest
from django.utils.html import format_html_join

from leaderboard.accounts import permissions
from leaderboard.conformance.models import ConformanceReport
from leaderboard.runs import life
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.gym.models import GymLoop
from leaderboard.runs.model_job import ModelJob
from leaderboard.runs.models import ModelFile, Run
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Event, Likeness, Score, Submission, System
from leaderboard.submissions.models.submission import in_per_cent
from leaderboard.web.admin import PrintableForm, ReadOnlyAdmin
from leaderboard.web.formatting import number
from leaderboard.web.generic import ModelAdmin, TabularInline

Row = TypeVar("Row", bound=ModelJob)
Kept = TypeVar("Kept", bound=Model)


class KeepsGold(ReadOnlyAdmin[Kept]):
    """Read-only admin page that hides columns which reveal answers, unless the user has the permission `view_gold`."""

    #: Columns that reveal withheld answers: exact figures, and names of rows.
    tells_gold: frozenset[str] = frozenset()

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        fields = super().get_fields(request, obj)
        may = permissions.may(request.user, permissions.VIEW_GOLD)
        return [name for name in fields if may or name not in self.tells_gold]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        # Filtering by a hidden column would reveal it digit by digit.
        if lookup.partition("__")[0] in self.tells_gold and not permissions.may(
            request.user, permissions.VIEW_GOLD
        ):
            return False
        return super().lookup_allowed(lookup, value, request)


class SystemForm(PrintableForm):
    url = forms.URLField(assume_scheme="https", required=False, max_length=200)
    licence_url = forms.URLField(assume_scheme="https", required=False, max_length=200, label="Licence text")


@admin.register(System)
class SystemAdmin(ModelAdmin[System]):
    form = SystemForm
    list_display = ("name", "owner", "kind", "parameters", "quantization")
    list_filter = ("kind",)
    search_fields = ("name", "owner__username")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        # Results are cited under owner and name: like account names, only superusers change them.
        return () if obj is None or request.user.is_superuser else ("owner", "name", "slug")

    def save_model(self, request: HttpRequest, obj: System, form: Any, change: bool) -> None:
        obj.mark_entered(form.changed_data)
        super().save_model(request, obj, form, change)


class EventInline(TabularInline[Event, Submission]):
    model = Event
    extra = 0
    can_delete = False
    fields = readonly_fields = ("kind", "shown_detail", "actor", "at")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


#: Submissions whose file resembles another's.
_ALIKE = Exists(Likeness.objects.filter(submission=OuterRef("pk")))


class FlaggedFilter(admin.SimpleListFilter):
    """Filters submissions by whether the intake checks, which examine uploaded files, found a problem."""

    title = "intake checks"
    parameter_name = "flagged"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Flagged"), ("no", "Nothing found")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        match self.value():
            case "yes":
                return queryset.filter(~Q(flags=[]) | _ALIKE)
            case "no":
                return queryset.filter(~_ALIKE, flags=[])
        return queryset


@admin.register(Submission)
class SubmissionAdmin(KeepsGold[Submission]):
    tells_gold = frozenset({"flags"})
    list_display = (
        "system",
        "version",
        "status",
        "visibility",
        "submitter",
        "repeats_words",
        "graded",
        "flagged",
        "created_at",
    )
    list_filter = (FlaggedFilter, "status", "visibility", "approval", "source", "version")
    list_select_related = ("system", "version__benchmark", "submitter", "score", "run")
    search_fields = ("id", "system__name", "submitter__username")
    inlines = (EventInline,)
    actions = ("regrade", "withdraw", "approve")

    @admin.display(description="Score", ordering="score__headline")
    def graded(self, submission: Submission) -> str | None:
        return in_per_cent(submission.result_line(submission.score)) if submission.score else None

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("likenesses")

    @admin.display(description="Findings")
    def flagged(self, submission: Submission) -> str:
        link = submission.get_absolute_url()
        codes = [flag["code"] for flag in submission.flags]
        codes += [each.kind for each in submission.likenesses.all()]
        return format_html_join(
            " ", '<a href="{}#checks">{}</a>', ((link, code) for code in dict.fromkeys(codes))
        )

    def has_regrade_permission(self, request: HttpRequest) -> bool:
        return permissions.may(request.user, permissions.REGRADE_SUBMISSION)

    def has_withdraw_permission(self, request: HttpRequest) -> bool:
        return permissions.may(request.user, permissions.WITHDRAW_SUBMISSION)

    @admin.action(description="Grade again", permissions=["regrade"])
    def regrade(self, request: HttpRequest, queryset: Any) -> None:
        done = 0
        for submission in queryset:
            try:
                submissions.regrade(submission, actor=request.user)
                done += 1
            except submissions.FileRemovedError as error:
                messages.error(request, f"{submission}: {error}")
        if done:
            messages.success(request, f"{done:,} queued for grading.")

    def has_approve_permission(self, request: HttpRequest) -> bool:
        return permissions.may(request.user, permissions.APPROVE_SUBMISSION)

    @admin.action(description="Approve for boards", permissions=["approve"])
    def approve(self, request: HttpRequest, queryset: Any) -> None:
        for submission in queryset:
            submissions.decide(submission, approved=True, actor=request.user)
        messages.success(request, f"{len(queryset):,} approved.")

    @admin.action(description="Withdraw", permissions=["withdraw"])
    def withdraw(self, request: HttpRequest, queryset: Any) -> None:
        for submission in queryset:
            submissions.withdraw(submission, actor=request.user)
        messages.success(request, f"{len(queryset):,} withdrawn.")


@admin.register(Score)
class ScoreAdmin(KeepsGold[Score]):
    """Admin of scores, which are rounded as on pages."""

    tells_gold = frozenset(
        {
            "exact", "exact_headline", "unit_scores", "robust_scores", "cells", "cell_scores", "metric_sums", "gates",
            "gated", "verdicts_sha256",
        }
    )  # fmt: skip
    list_display = ("submission", "revision", "grader", "reported", "seconds", "created_at")
    list_select_related = ("submission__system", "submission__version__benchmark", "submission__run")

    @admin.display(description="Headline", ordering="headline")
    def reported(self, score: Score) -> str:
        return number(score.submission.headline_of(score))


@admin.register(ConformanceReport)
class ConformanceReportAdmin(ReadOnlyAdmin[ConformanceReport]):
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
        return admin.ModelAdmin.has_delete_permission(self, request, obj)


@admin.register(ModelFile)
class ModelFileAdmin(ReadOnlyAdmin[ModelFile]):
    list_display = ("name", "path", "kind", "architecture", "quantization", "checked", "registered_at")
    list_filter = ("kind", "check_made__status")
    list_select_related = ("check_made",)
    readonly_fields = ("smoke_test",)

    @admin.display(description="smoke test", ordering="check_made__status")
    def checked(self, model: ModelFile) -> str:
        check = getattr(model, "check_made", None)
        return check.get_status_display() if check else "–"

    @admin.display(description="smoke test")
    def smoke_test(self, model: ModelFile) -> str:
        check = getattr(model, "check_made", None)
        if check is None:
            return "–"
        found = [*check.result.get("found", ()), check.doubt]
        return ": ".join(filter(None, (check.get_status_display(), " ".join(filter(None, found)))))


class JobAdmin(ReadOnlyAdmin[Row]):
    """Admin of jobs that run a language model. Staff can resume these jobs, but not edit them."""

    actions = ("resume",)

    def has_resume_permission(self, request: HttpRequest) -> bool:
        return permissions.may(request.user, permissions.RESUME_RUN)

    @admin.action(description="Resume paused, failed or cancelled jobs", permissions=["resume"])
    def resume(self, request: HttpRequest, queryset: Any) -> None:
        resumed = sum(life.resume(job, actor=request.user) for job in queryset)
        messages.success(request, f"{resumed} of {len(queryset)} queued again.")


@admin.register(Run)
class RunAdmin(JobAdmin[Run]):
    list_display = ("system", "version", "status", "progress_done", "progress_total", "created_at")
    list_filter = ("status", "version")
    list_select_related = ("system", "version")


class SeenWithRunsAdmin(JobAdmin[Row]):
    """Admin of jobs that accounts may view if they have the permission to view runs."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return permissions.may(request.user, permissions.VIEW_RUN)


@admin.register(Bench)
class BenchAdmin(SeenWithRunsAdmin[Bench]):
    list_display = ("name", "size", "status", "progress_done", "progress_total", "created_at")
    list_filter = ("status", "suite_name", "size")
    search_fields = ("id", "name")
    exclude = ("report",)


@admin.register(GymLoop)
class GymLoopAdmin(SeenWithRunsAdmin[GymLoop]):
    list_display = ("__str__", "status", "progress_done", "progress_total", "created_at")
    list_filter = ("status", "executor")
    search_fields = ("id", "executor")
    exclude = ("outcome",)
