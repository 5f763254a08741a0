"""The shared cast: accounts, a frozen version of a tiny preset, systems, predictions files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.cache import caches

from evaluation.core import jsonl
from leaderboard.benchmarks import expected_ids, freezing, storage
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.runs import model_files
from leaderboard.runs.models import ModelFile
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System
from tests.leaderboard.callers import ada, anybody, caller  # noqa: F401 (fixtures)
from tests.leaderboard.runs.gguf import SMALL_ORDER_BIAS, tiny_model

TINY = {"generator": {"episodes": 2, "steps": 24, "queries": 3, "keys": 4, "chapters": 2, "twins": True}}


@pytest.fixture(autouse=True)
def own_files(
    settings: Any, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Every test has its own files and cache, and wakes no worker."""
    folder = tmp_path_factory.mktemp("data")
    settings.DATA_DIR = folder
    (folder / "static").mkdir()
    settings.STATIC_ROOT = folder / "static"
    settings.STORAGES = settings.STORAGES | {
        "artifacts": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": folder / "artifacts"},
        },
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    settings.MODEL_SERVERS = {}
    memory = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {name: {"BACKEND": memory, "LOCATION": name} for name in ("default", "results")}
    monkeypatch.setattr("leaderboard.jobs.dispatch.enqueue", lambda task, *args: None)
    monkeypatch.setattr("leaderboard.jobs.dispatch.enqueue_later", lambda task, *args, seconds: None)
    yield
    for cache in caches.all():
        cache.clear()


@pytest.fixture
def user(db: None) -> Any:
    return get_user_model().objects.create_user("ada", "ada@example.org", "a long passphrase")


@pytest.fixture
def other(db: None) -> Any:
    return get_user_model().objects.create_user("ben", "ben@example.org", "a long passphrase")


@pytest.fixture
def bare_staff(db: None) -> Any:
    """Let into the admin, and no more."""
    return get_user_model().objects.create_user("rik", "rik@example.org", "a long passphrase", is_staff=True)


@pytest.fixture
def staff(db: None) -> Any:
    """A maintainer: staff with the permissions of that group."""
    made = get_user_model().objects.create_user("sam", "sam@example.org", "a long passphrase", is_staff=True)
    made.groups.add(Group.objects.get(name="Maintainers"))
    return made


@pytest.fixture
def make_version(db: None) -> Callable[..., Version]:
    """A frozen version of a tiny preset; `settings` on top of it, for instance `public_gold=True`.

    An open demo, so that every test has the same rows; with secret seeds if it is to be `sealed`.
    """

    def make(
        suite: str = "goldevidence", name: str = "tiny", *, sealed: bool = False, **settings: Any
    ) -> Version:
        base = TINY if suite == "goldevidence" else {}
        preset = Preset.objects.create(
            benchmark=Benchmark.objects.get(suite=suite),
            name=name,
            title=name.capitalize(),
            settings=base | settings,
        )
        version = freezing.start(preset=preset, open_demo=not sealed, wake_worker=False)
        assert freezing.freeze(version.pk), Version.objects.get(pk=version.pk).error
        return Version.objects.select_related("benchmark").get(pk=version.pk)

    return make


@pytest.fixture
def version(make_version: Callable[..., Version]) -> Version:
    return make_version()


@pytest.fixture
def small(make_version: Callable[..., Version]) -> Version:
    """The version that runs are tested with: two orders beside the whole book."""
    return make_version(name="small", **SMALL_ORDER_BIAS)


@pytest.fixture
def model(settings: Any, tmp_path: Path, staff: Any) -> ModelFile:
    """A registered model file."""
    settings.MODELS_DIR = tmp_path / "models"
    tiny_model(settings.MODELS_DIR)
    return model_files.register("tiny.gguf", by=staff)


@pytest.fixture
def system(user: Any) -> System:
    return System.objects.create(owner=user, name="Ledger reader")


@pytest.fixture
def predictions(tmp_path: Path) -> Callable[..., Path]:
    """A predictions file of a system of the engine; `wrong` answers are spoilt, those of the first unit first."""

    def write(
        version: Version, executor: str = "ledger", *, wrong: int = 0, name: str = "preds.jsonl"
    ) -> Path:
        runner = version.suite.systems()[executor].build()
        found = [runner.predict(row) for row in storage.rows(version.rows_sha256)]
        answers = [answer for each in found for answer in (each if isinstance(each, list) else [each])]
        row_id = version.suite.row_id
        places = {name: place for place, name in enumerate(expected_ids.expected_rows(version).conditions)}
        for answer in sorted(answers, key=lambda answer: places[row_id(answer)])[:wrong]:
            answer["value"] = "spoilt"
        jsonl.write(tmp_path / name, answers)
        return tmp_path / name

    return write


@pytest.fixture
def submit(predictions: Callable[..., Path]) -> Callable[..., Submission]:
    """A submission, graded unless `grade=False`."""

    def make(
        version: Version,
        system: System,
        *,
        grade: bool = True,
        executor: str = "ledger",
        wrong: int = 0,
        **fields: Any,
    ) -> Submission:
        accepted = submissions.accept(version, predictions(version, executor, wrong=wrong))
        made = submissions.create(accepted, system=system, submitter=system.owner, **fields)
        if grade:
            assert submissions.grade(str(made.pk))
        return Submission.objects.with_names().get(pk=made.pk)

    return make


@pytest.fixture
def body() -> Callable[[Any], dict[str, Any]]:
    """The JSON of a response."""
    return lambda response: json.loads(response.content)
