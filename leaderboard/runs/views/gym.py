"""Pages of gym loops: lists and curves are public; start, cancel and resume need permissions for runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluation.core.errors import SettingsError
from evaluation.gym.learners import LEARNERS
from leaderboard.accounts import permissions
from leaderboard.accounts.permissions import needs
from leaderboard.benchmarks.models import Version
from leaderboard.runs.gym import services as gym
from leaderboard.runs.gym.forms import LoopForm
from leaderboard.runs.gym.models import GymLoop
from leaderboard.runs.gym.story import findings, stories
from leaderboard.runs.model_job import ModelJob
from leaderboard.runs.views.jobs import FORM_METHODS, JobPages
from leaderboard.submissions.models import Submission

PAGE_SIZE = 12  # loops a page
MOST_BOARDS = 4  # beside the story


class GymPages(JobPages):
    """Pages of gym loops. Loops are public, and each ends in a model file."""

    noun, plural, body = "loop", "gym", gym.BODY
    joins = ("model_file", "started_by")
    acts = ("status", "cancel", "resume")
    status_template = "leaderboard/_loop_status.html"

    @property
    def urls(self) -> list[URLPattern]:
        add = needs(permissions.ADD_RUN)
        stop, resume = needs(permissions.CANCEL_RUN), needs(permissions.RESUME_RUN)
        at = "gym/<uuid:pk>/"
        return [
            path("gym/", require_safe(self.index), name="gym"),
            path("gym/order-bias/", require_safe(self.order_bias), name="order_bias"),
            path("gym/new/", add(require_http_methods(FORM_METHODS)(self.start)), name="loop_start"),
            path(at, require_safe(self.detail), name="loop"),
            path(f"{at}status/", require_safe(self.status), name="loop_status"),
            path(f"{at}cancel/", stop(require_POST(self.cancel)), name="loop_cancel"),
            path(f"{at}resume/", resume(require_POST(self.resume)), name="loop_resume"),
        ]

    def for_list(self) -> QuerySet[GymLoop]:
        return GymLoop.objects.for_list()

    def index(self, request: HttpRequest) -> HttpResponse:
        """List all loops, newest first. The page refreshes itself while a loop is active."""
        page = Paginator(self.for_list(), PAGE_SIZE).get_page(request.GET.get("page"))
        context = self._named(
            page=page,
            active=GymLoop.objects.filter(status__in=ModelJob.ACTIVE).exists(),
            results=results_of(page.object_list),
            learners=LEARNERS.values(),
        )
        return render(request, "leaderboard/gym.html", context)

    def order_bias(self, request: HttpRequest) -> HttpResponse:
        context = self._named(
            stories=[(story, findings(story)) for story in stories()],
            boards=Version.objects.open()
            .filter(settings__headline="worst_order")
            .exclude(settings__public_gold=True)[:MOST_BOARDS],
        )
        return render(request, "leaderboard/order_bias.html", context)

    def start(self, request: HttpRequest) -> HttpResponse:
        form = LoopForm(request.POST) if request.method == "POST" else LoopForm(initial=request.GET.dict())
        if request.method != "POST":
            return self._form_page(request, form)
        if form.is_valid():
            try:
                loop = gym.start(**form.asked(), started_by=request.user)
            except SettingsError as error:
                form.refuse(error)
            else:
                return HttpResponseRedirect(loop.get_absolute_url())
        return self._form_page(request, form, status=422)

    def _form_page(self, request: HttpRequest, form: LoopForm, *, status: int = 200) -> HttpResponse:
        return render(request, "leaderboard/loop_start.html", self._named(form=form), status=status)

    def detail(self, request: HttpRequest, pk: Any) -> HttpResponse:
        loop = self._job(pk)
        context = self._status_of(loop) | {"results": results_of([loop])[loop.pk]}
        return render(request, "leaderboard/loop.html", self._named(**context))

    def command(self, job: GymLoop) -> str:
        return gym.command(job)


def results_of(loops: Iterable[GymLoop]) -> dict[Any, list[Submission]]:
    """For each loop, by key, the results of its trained model on boards, newest first."""
    trained: dict[int | None, Any] = {loop.model_file_id: loop.pk for loop in loops if loop.model_file_id}
    found: dict[Any, list[Submission]] = defaultdict(list)
    shown = Submission.objects.public().listed().filter(run__model_file__in=trained, shown=True)
    for submission in shown.select_related("run").order_by("-created_at"):
        found[trained[submission.run.model_file_id]].append(submission)
    return found


GYM = GymPages()
