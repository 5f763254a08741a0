"""Model files, for who may see them: what is registered, what lies in the folder, and what a file says about itself."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from leaderboard import modelfiles, permissions
from leaderboard.models import ModelFile
from leaderboard.views.staff import needs


@needs(permissions.VIEW_MODEL)
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    return _page(request)


def _page(request: HttpRequest, *, problem: str = "", status: int = 200) -> HttpResponse:
    context = {
        "models": ModelFile.objects.annotate(runs_count=Count("runs")),
        "names": modelfiles.unregistered(),
        "folder": modelfiles.folder(),
        "problem": problem,
        "missing": modelfiles.missing_packages(),
        "install": modelfiles.INSTALL,
    }
    return render(request, "leaderboard/models.html", context, status=status)


@needs(permissions.ADD_MODEL)
@require_POST
def register(request: HttpRequest) -> HttpResponse:
    try:
        model = modelfiles.register(request.POST.get("name", ""), by=request.user)
    except modelfiles.ModelFileError as error:
        return _page(request, problem=str(error), status=422)
    messages.success(request, f"{model} is registered.")
    return HttpResponseRedirect(model.get_absolute_url())


@needs(permissions.VIEW_MODEL)
@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    model = get_object_or_404(ModelFile.objects.select_related("registered_by"), pk=pk)
    runs = model.runs.select_related("version", "system", "submission__score")[:20]
    context = {"model": model, "runs": runs, "parameters": modelfiles.size_in_words(model.parameters)}
    return render(request, "leaderboard/model.html", context)


@needs(permissions.REMOVE_MODEL)
@require_POST
def remove(request: HttpRequest, pk: int) -> HttpResponse:
    model = get_object_or_404(ModelFile, pk=pk)
    try:
        modelfiles.remove(model)
    except modelfiles.ModelFileError as error:
        messages.error(request, str(error))
        return HttpResponseRedirect(model.get_absolute_url())
    messages.success(request, f"{model} is no longer registered. Its file stays where it is.")
    return redirect("leaderboard:models")
