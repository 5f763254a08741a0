"""Pages of model files: registered and unregistered files, metadata and checks."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from leaderboard.accounts import permissions
from leaderboard.accounts.permissions import needs
from leaderboard.runs import catalogue, holders, model_checks, model_files
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.models import ModelCheck, ModelFile

MOST_JOBS = 20  # of each kind, on the page of a model file


@needs(permissions.VIEW_MODEL)
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    return _page(request)


def _page(request: HttpRequest, *, problem: str = "", status: int = 200) -> HttpResponse:
    context = {
        "models": ModelFile.objects.select_related("check_made").annotate(runs_count=Count("runs")),
        "names": model_files.unregistered(),
        "folder": model_files.folder(),
        "problem": problem,
        "missing": model_files.missing_packages(),
        "install": model_files.INSTALL,
    }
    return render(request, "leaderboard/models.html", context, status=status)


@needs(permissions.ADD_MODEL)
@require_POST
def register(request: HttpRequest) -> HttpResponse:
    try:
        model = model_checks.register(request.POST.get("name", ""), by=request.user)
    except model_files.ModelFileError as error:
        return _page(request, problem=str(error), status=422)
    checked = " A worker is checking the file." if model.is_language_model else ""
    messages.success(request, f"{model} is registered.{checked}")
    return HttpResponseRedirect(model.get_absolute_url())


@needs(permissions.VIEW_MODEL)
@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    model = get_object_or_404(ModelFile.objects.select_related("registered_by"), pk=pk)
    joined = model.runs.select_related("version", "system", "submission__score")
    runs = joined.defer("submission__score__metric_sums")[:MOST_JOBS]
    context = {
        "model": model,
        "runs": runs,
        "benches": Bench.objects.for_list().filter(model_file=model)[:MOST_JOBS],
        "parameters": model_files.size_in_words(model.parameters),
        "said": [(name.replace("_", " "), text) for name, text in model.metadata.items()],
        "runner": catalogue.runner_of(model.kind),
        **_checked(model),
    }
    return render(request, "leaderboard/model.html", context)


def _checked(model: ModelFile) -> dict[str, object]:
    check = ModelCheck.objects.filter(model_file=model).first()
    waits = check is not None and check.status == ModelCheck.WAITS
    return {
        "check": check,
        "lacks_file": holders.reason([model]) if waits else "",
        "status_url": reverse("leaderboard:model_check_status", args=[model.pk]),
    }


@needs(permissions.VIEW_MODEL)
@require_safe
def check_status(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the part of the page that changes while a worker runs the check."""
    model = get_object_or_404(ModelFile, pk=pk)
    return render(request, "leaderboard/_model_check.html", {"model": model, **_checked(model)})


@needs(permissions.ADD_MODEL)
@require_POST
def check(request: HttpRequest, pk: int) -> HttpResponse:
    model = get_object_or_404(ModelFile, pk=pk)
    if model_checks.ask(model) is None:
        messages.error(request, f"{model} was checked on registration: it is not a language model.")
    return HttpResponseRedirect(model.get_absolute_url())


@needs(permissions.REMOVE_MODEL)
@require_POST
def remove(request: HttpRequest, pk: int) -> HttpResponse:
    model = get_object_or_404(ModelFile, pk=pk)
    try:
        model_files.remove(model)
    except model_files.ModelFileError as error:
        messages.error(request, str(error))
        return HttpResponseRedirect(model.get_absolute_url())
    messages.success(request, f"{model} is no longer registered. Its file is kept.")
    return redirect("leaderboard:models")
