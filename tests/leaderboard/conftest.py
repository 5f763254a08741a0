"""Shared fixtures: accounts, a frozen version of a tiny preset, systems, predictions files."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.core.cache import caches

from evaluation.core import jsonl
from evaluation.core.files.artifacts import is_artifact
from evaluation.core.statistics.power import DIAGNOSTIC_BELOW
from evaluation.goldevidence.generator.fields import LATEST_REVISION
from leaderboard.benchmarks import expected_ids, freezing
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.benchmarks.rows import reading
from leaderboard.benchmarks.sealing import seal
from leaderboard.boards.placements import computing
from leaderboard.ready_pages.store import pages as ready_pages
from leaderboard.runs import model_files
from leaderboard.runs.models import ModelFile
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System
from tests.leaderboard.callers import ada, anybody, caller  # noqa: F401 (fixtures)
from tests.leaderboard.runs.gguf import SMALL_ORDER_BIAS, tiny_model
from tests.leaderboard.taking_part import taking_part

TINY = {"generator": {"episodes": 2, "steps": 24, "queries": 3, "keys": 4, "chapters": 2, "twins": True}}

#: As many episodes as ranks need, each as short as can be.
RANKED = {
    "episodes": DIAGNOSTIC_BELOW,
    "steps": 24,
    "queries": 2,
    "keys": 4,
    "chapters": 2,
    "twins": False,
}

#: The same where a question stands in several rows: before texts were disguised these could be joined. No row stands
#: once more without instructions, so that there are as many rows.
DISGUISED = RANKED | {"revision": LATEST_REVISION, "distractor_profile": "standard"}
#: One or two orders can be guessed, which would make a version diagnostic: what is ranked in a test declares it.
GUESSED = [{"metric": name, "ceiling": 1.0} for name in ("selection_rate", "condition_value_acc")]


@pytest.fixture(autouse=True)
def own_files(
    settings: Any, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Give every test its own files and cache, and wake no worker."""
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
    settings.READY_PAGES_STALE_SECONDS = 0  # tests write, and look at what strangers see
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"  # as in a clone: none is sent
    memory = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {name: {"BACKEND": memory, "LOCATION": name} for name in ("default", "results")}
    monkeypatch.setattr("leaderboard.jobs.dispatch.enqueue", lambda task, *args, queue=None: None)
    monkeypatch.setattr("leaderboard.jobs.dispatch.enqueue_later", lambda task, *args, seconds: None)
    yield
    for cache in caches.all():
        cache.clear()
    ready_pages.clear()


#: What attackers reached in versions that other tests froze, by settings and files.
_ATTACKED: dict[bytes, Any] = {}


@pytest.fixture(autouse=True)
def attacked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attack each version once per process: attackers are most of what a tiny version costs.

    They give the same results for the same settings and files.
    """
    attack = seal.attacked

    def attacked(version: Version, *, beat: Callable[[], None], **files: str) -> Any:
        known = jsonl.canonical([version.benchmark.suite, version.settings, files])
        if known not in _ATTACKED:
            _ATTACKED[known] = attack(version, beat=beat, **files)
        return copy.deepcopy(_ATTACKED[known])

    monkeypatch.setattr(seal, "attacked", attacked)


@pytest.fixture
def user(db: None) -> Any:
    return get_user_model().objects.create_user("ada", "ada@example.org", "a long passphrase")


@pytest.fixture
def other(db: None) -> Any:
    return get_user_model().objects.create_user("ben", "ben@example.org", "a long passphrase")


@pytest.fixture
def mails(settings: Any, user: Any, other: Any) -> None:
    """A site that sends mail, and two users with confirmed addresses."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    for person in (user, other):
        EmailAddress.objects.create(user=person, email=person.email, verified=True, primary=True)


@pytest.fixture
def bare_staff(db: None) -> Any:
    """Staff without permissions."""
    return get_user_model().objects.create_user("rik", "rik@example.org", "a long passphrase", is_staff=True)


@pytest.fixture
def staff(db: None) -> Any:
    """A maintainer: staff with the permissions of that group."""
    made = get_user_model().objects.create_user("sam", "sam@example.org", "a long passphrase", is_staff=True)
    made.groups.add(Group.objects.get(name="Maintainers"))
    return made


@pytest.fixture
def make_version(db: None) -> Callable[..., Version]:
    """Makes a frozen version of a tiny preset; keyword arguments change its settings, such as `public_gold=True`.

    An open demo, so that every test has the same rows; with secret seeds if `sealed`.
    """

    def make(
        suite: str = "goldevidence", name: str = "tiny", *, sealed: bool = False, **settings: Any
    ) -> Version:
        base: dict[str, Any] = TINY if suite == "goldevidence" else {}
        if settings.get("generator") is RANKED and "conditions" in settings:
            base = base | {"attack_limits": GUESSED}
            settings["generator"] = DISGUISED
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
def ranked_version(make_version: Callable[..., Version]) -> Version:
    """A version of just enough units for ranks, each as short as possible."""
    return make_version(name="ranked", generator=RANKED)


@pytest.fixture
def kept(make_version: Callable[..., Version]) -> Version:
    """A version with ranks that withholds its answers."""
    return make_version(name="kept", sealed=True, generator=RANKED)


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
    """Makes a predictions file of a system of the engine; `wrong` answers are spoilt, those of the first unit first."""

    def write(
        version: Version, executor: str = "ledger", *, wrong: int = 0, name: str = "preds.jsonl"
    ) -> Path:
        runner = version.suite.systems()[executor].build()
        result = [runner.predict(row) for row in reading.rows_of(version)]
        answers = [answer for each in result for answer in (each if isinstance(each, list) else [each])]
        row_id = version.suite.row_id
        places = {name: place for place, name in enumerate(expected_ids.expected_rows(version).splits)}
        rows = [answer for answer in answers if not is_artifact(answer)]
        for answer in sorted(rows, key=lambda answer: places[row_id(answer)])[:wrong]:
            answer["value"] = "spoilt"
        jsonl.write(tmp_path / name, answers)
        return tmp_path / name

    return write


@pytest.fixture
def submit(predictions: Callable[..., Path]) -> Callable[..., Submission]:
    """Makes a submission, graded unless `grade=False`, and computes the ranks of its board.

    The tiny versions are open, where self-reported results have no rank: unless `reported=True`, it counts as verified.
    """

    def make(
        version: Version,
        system: System,
        *,
        grade: bool = True,
        executor: str = "ledger",
        wrong: int = 0,
        reported: bool = False,
        **fields: Any,
    ) -> Submission:
        accepted = submissions.accept(version, predictions(version, executor, wrong=wrong))
        made = submissions.create(accepted, system=system, submitter=system.owner, **fields)
        if not reported:
            taking_part(made)
        if grade:
            assert submissions.grade(str(made.pk))
            computing.store(version)
        return Submission.objects.with_names().get(pk=made.pk)

    return make


@pytest.fixture
def body() -> Callable[[Any], dict[str, Any]]:
    """The JSON of a response."""
    return lambda response: json.loads(response.content)
