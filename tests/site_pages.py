"""Every kind of page of a populated site with an example, to be measured, checked and pictured."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from urllib.parse import quote

from tests.live import wait_for


class Kind(NamedTuple):
    """A kind of page.

    Attributes:
        name: Its name in tables.
        path: Path of an example.
        staff: Whether it needs a sign-in.
    """

    name: str
    path: str
    staff: bool = False


#: Run in the site's own Django: `LiveSite.shell(ASK)`.
ASK = "import json; from tests.site_pages import found; print(json.dumps(found()))"
#: A demo has no bench: one of a rule, which takes seconds.
BENCH = """
from django.contrib.auth import get_user_model
from leaderboard.runs.benches import services as benches
from leaderboard.models import Bench
if not Bench.objects.exists():
    user = get_user_model().objects.get(username="admin")
    bench = benches.start(suite="goldevidence", executor="naive", size="smoke", started_by=user)
"""
#: Nor has it a loop of the gym: a small one, of a learner that takes seconds.
LOOP = """
from django.contrib.auth import get_user_model
from leaderboard.models import GymLoop
from leaderboard.runs.gym import services as gym
if not GymLoop.objects.exists():
    user = get_user_model().objects.get(username="admin")
    gym.start(learner="selector", rounds=2, tasks=20, unseen=20, started_by=user)
"""
ARE_THERE = """
from leaderboard.models import Bench, GymLoop
print(min(each.objects.filter(status="finished").count() for each in (Bench, GymLoop)))
"""


def prepare(shell: Callable[[str], str]) -> None:
    """Add the objects that kinds of pages need and a demo lacks.

    Args:
        shell: Runs Python in the site's Django and returns its output.

    Raises:
        AssertionError: The worker did not finish a bench and a loop.
    """
    shell(BENCH)
    shell(LOOP)
    wait_for(lambda: shell(ARE_THERE) != "0", seconds=180, what="the bench and the loop", every=1)


def kinds(shell: Callable[[str], str], names: Iterable[str] = ()) -> list[Kind]:
    """The pages of a site that `manage.py demo` made.

    Args:
        shell: Runs Python in the site's Django and returns its output.
        names: Names of the kinds to return, in this order; none: all.

    Returns:
        One page of each kind.

    Raises:
        KeyError: A name that no kind has.
    """
    every = {line[0]: Kind(*line) for line in json.loads(shell(ASK).splitlines()[-1])}
    return [every[name] for name in names] if names else list(every.values())


def found() -> list[Kind]:
    """The kinds of pages, found inside the site's Django."""
    return [*_of_the_site(), *_of_versions(), *_of_systems(), *_of_members()]


def _reverse(name: str, *parts: Any) -> str:
    from django.urls import reverse

    return reverse(f"leaderboard:{name}", args=parts)


def _version(suite: str, preset: str) -> Any:
    from leaderboard.benchmarks.models import Version

    return Version.objects.get(benchmark__suite=suite, slug=preset)


def _of_the_site() -> list[Kind]:
    plain = {
        "about": "About",
        "glossary": "Glossary",
        "versions": "Versions",
        "systems": "Systems",
        "history": "History",
        "conformance": "Conformance",
        "docs": "Guide",
        "anchors": "Published figures",
        "api_docs": "API",
        "gym": "Gym",
        "order_bias": "Order bias, learnt and unlearnt",
    }
    return [
        Kind("Front page", "/"),
        Kind("Front page, answered", "/?example=goldevidencebench&answer=1#example-goldevidencebench"),
        *(Kind(words, _reverse(name)) for name, words in plain.items()),
        Kind("Search", f"{_reverse('search')}?q=order"),
        Kind("Search, nothing found", f"{_reverse('search')}?q=intervall"),
        Kind("Sign in", "/accounts/login/"),
        Kind("Sign up", "/accounts/signup/"),
        Kind("Not found", "/nowhere/"),
    ]


def _row(version: Any) -> str:
    """The first row of the last split: the longest text of a ladder."""
    from leaderboard.benchmarks import expected_ids

    splits, last = expected_ids.expected_rows(version).splits, list(version.conditions)[-1]
    return next(row for row, split in splits.items() if split == last)


def _of_versions() -> list[Kind]:
    ladder, order, state = (
        _version("goldevidence", "ladder-short"),
        _version("goldevidence", "order-bias-short"),
        _version("statebench", "quick"),
    )
    page = state.suite.display.page.slug
    lines = []
    for version, words in ((ladder, "ladder"), (order, "order bias"), (state, "StateBench")):
        row = _row(version)
        names = version.benchmark.slug, version.slug
        lines += [
            Kind(f"Board, {words}", version.get_board_url()),
            Kind(f"Row, {words}", _reverse("version_row", *names, row)),
        ]
    names = ladder.benchmark.slug, ladder.slug
    return [
        *lines,
        Kind("Board, all figures", f"{order.get_board_url()}?view=figures"),
        Kind("Board, models", f"{order.get_board_url()}?view=models"),
        Kind("Board, forest plot", f"{order.get_board_url()}?view=forest"),
        Kind("Board, one per model", f"{order.get_board_url()}?systems=models"),
        Kind("Board, charts", _reverse("board_figures", *names)),
        Kind("Board by track", f"{state.get_board_url()}{page}/"),
        Kind("Version", ladder.get_absolute_url()),
        Kind("Rows", _reverse("version_row_list", *names)),
        Kind("Changes", _reverse("changes", *names)),
    ]


def _of_systems() -> list[Kind]:
    from leaderboard.submissions.models import Submission

    version = _version("statebench", "quick")  # a board that models came with
    shown = Submission.objects.filter(version=version, shown=True, status="graded").order_by("system__name")
    models = shown.filter(source="shipped")
    first, second = models[0], shown.exclude(source="shipped").exclude(pk=models[0].pk)[0]
    pair = f"s={first.pk}&s={second.pk}"
    return [
        Kind("System", first.system.get_absolute_url()),
        Kind("Submission", first.get_absolute_url()),
        Kind("Submission, ladder", _shipped("goldevidence", "ladder-short").get_absolute_url()),
        Kind("Submission's rows", _reverse("submission_rows", first.pk)),
        Kind("Transcript", f"{_reverse('submission_transcript', first.pk)}?id={quote(_answered(version))}"),
        Kind("Compare", f"{_reverse('compare')}?{pair}"),
        Kind("Compare, choosing", _reverse("compare")),
    ]


def _shipped(suite: str, preset: str) -> Any:
    """The first result of a model on a board, by name."""
    from leaderboard.submissions.models import Submission

    shown = Submission.objects.filter(version=_version(suite, preset), shown=True, status="graded")
    return shown.filter(source="shipped").order_by("system__name")[0]


def _answered(version: Any) -> str:
    """The first row of the first split, which the model answered."""
    from leaderboard.benchmarks import expected_ids

    splits, first = expected_ids.expected_rows(version).splits, next(iter(version.conditions))
    return next(row for row, split in splits.items() if split == first)


def _of_members() -> list[Kind]:
    from leaderboard.models import Bench, GymLoop, ModelFile, Run

    plain = {
        "submit": "Submit",
        "account": "Account",
        "tokens": "Tokens",
        "runs": "Runs",
        "run_start": "Start a run",
        "models": "Models",
        "benches": "Benches",
        "bench_start": "Start a bench",
        "loop_start": "Start a loop",
        "conformance_upload": "Conformance upload",
    }
    run = Run.objects.filter(status="finished").order_by("created_at").first()
    bench = Bench.objects.filter(status="finished").order_by("-created_at").first()
    loop = GymLoop.objects.filter(status="finished").order_by("-created_at").first()
    model = ModelFile.objects.order_by("pk").first()
    return [
        *(Kind(words, _reverse(name), True) for name, words in plain.items()),
        *([Kind("Run", run.get_absolute_url(), True)] if run else []),
        *([Kind("Bench", bench.get_absolute_url(), True)] if bench else []),
        *([Kind("Loop", loop.get_absolute_url(), True)] if loop else []),
        *([Kind("Model", model.get_absolute_url(), True)] if model else []),
    ]
