"""Pages of systems: the list, and the history and charts of each system."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.accounts import permissions
from leaderboard.accounts import services as accounts
from leaderboard.boards import charts
from leaderboard.boards.charts.figure import Subject, figure_url
from leaderboard.boards.lengths import computing, maps
from leaderboard.boards.placements import outcomes
from leaderboard.boards.tables import SubmissionTable, SystemTable, paged
from leaderboard.submissions.forms import SystemForm
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.scores import score_tables


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    counts = {"submissions_count": F("counts__public"), "newest": F("counts__newest")}
    systems = System.objects.select_related("owner").filter(counts__public__gt=0).annotate(**counts)
    table = paged(SystemTable, systems, request, size=50)
    return render(request, "leaderboard/system_list.html", {"table": table})


def named(owner: str, slug: str) -> System:
    """Find the system with this owner and slug. Raises Http404. Callers must check what the reader may see."""
    return get_object_or_404(System.objects.select_related("owner"), owner__username=owner, slug=slug)


@require_safe
def detail(request: HttpRequest, owner: str, slug: str) -> HttpResponse:
    system = System.objects.get_visible(request.user, owner, slug)
    visible = Submission.objects.visible_to(request.user).filter(system=system).with_names()
    table = paged(SubmissionTable, visible, request, size=25, exclude=("system",))
    shown = list(Submission.objects.filter(system=system, shown=True).with_names())
    address = request.GET.get("version", "")
    named_so = (s for s in shown if f"{s.version.benchmark.slug}/{s.version.slug}" == address)
    chosen = next(named_so, shown[0] if shown else None)
    context: dict[str, object] = {
        "system": system,
        "is_own": accounts.is_service(system.owner),
        "may_change": system.may_be_changed_by(request.user),
        "table": table,
        "shown": shown,
        "cards": [_card(system, submission) for submission in shown],
        "chosen": chosen,
        "figures": [
            (figure, figure_url(figure, chosen)) for figure in charts.submission_charts(system, chosen)
        ]
        if chosen
        else [],
        **_lengths(chosen),
        "splits": score_tables.splits(chosen) if chosen else None,
        "attempts": Submission.objects.attempts_of(system, request.user),
        "conformance": system.conformance_reports.defer("vectors").first(),
    }
    return render(request, "leaderboard/system.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, owner: str, slug: str) -> HttpResponse:
    """Form to edit a system's description, for its owner and for accounts that may change any system."""
    system = System.objects.get_visible(request.user, owner, slug)
    if not system.may_be_changed_by(request.user):
        raise PermissionDenied(f"This is not your system. {permissions.refusal(permissions.CHANGE_SYSTEM)}")
    form = SystemForm(request.POST or None, instance=system)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, "Saved.")
        return redirect(system)
    status = 422 if form.errors else 200
    return render(request, "leaderboard/system_edit.html", {"system": system, "form": form}, status=status)


def _lengths(chosen: Submission | None) -> dict[str, object]:
    on_board = computing.board_lengths(chosen.version) if chosen else {}
    if chosen is None or chosen.pk not in on_board:
        return {"lengths": None, "length_map": None}
    groups = chosen.score.groups if chosen.score else {}
    return {"lengths": on_board[chosen.pk], "length_map": maps.depth_map(chosen.version, groups)}


def _card(system: System, submission: Submission) -> dict[str, object]:
    headline = submission.version.headline
    return {
        "submission": submission,
        "headline": headline,
        "interval": submission.result_interval,
        "standing": outcomes.system_placement(system, submission.version),
        "kind": submission.version.suite.unranked.get(system.kind),
    }


@require_safe
def figure(request: HttpRequest, owner: str, slug: str, figure: str) -> HttpResponse:
    """The data of a chart as JSON for Plotly, or `{"empty": reason}`."""
    system = named(owner, slug)
    submission = Submission.objects.get_visible(request.user, uuid_of(request.GET.get("submission")))
    if submission.system_id != system.pk or figure not in charts.names(submission.version.suite):
        raise Http404
    subject = Subject(system=system, version=submission.version, submission=submission)
    return JsonResponse(charts.draw(figure, subject).as_json())


def uuid_of(text: str | None) -> UUID:
    """Parse the id in a URL. Raises Http404 if it is malformed or missing."""
    try:
        return UUID(text or "")
    except ValueError as error:
        raise Http404 from error
