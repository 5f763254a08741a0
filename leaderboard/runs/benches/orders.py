"""Suites and systems that can be benched, and the `BenchOrder` that a bench passes to the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings as site

from evaluation.core.errors import BenchmarkError
from evaluation.core.suite import Suite, benches_of, usable
from evaluation.core.suite.benches import Benches, BenchOrder, PlannedPart
from leaderboard.runs import catalogue, model_files, naming
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.catalogue import Executor
from leaderboard.runs.model_job import JobError
from leaderboard.runs.models import ModelFile


def suites() -> dict[str, Suite]:
    return {name: suite for name, suite in usable().items() if benches_of(suite) is not None}


def benches_named(suite: str) -> Benches:
    """The engine's benches of a suite. Raises JobError if the suite has none."""
    known = suites()
    found = benches_of(known[suite]) if suite in known else None
    if found is None:
        raise JobError(f"The suite {suite!r} has no bench. Suites with a bench: {', '.join(known)}.")
    return found


def executors(suite: str) -> dict[str, Executor]:
    """Systems that can be benched on a suite, by the name stored in `Bench.executor`."""
    return catalogue.executors_of(suites()[suite]) if suite in suites() else {}


def executor_named(suite: str, name: str) -> Executor:
    """The system of `executors` with this name. Raises JobError."""
    known = executors(suite)
    if name not in known:
        raise JobError(f"Unknown system {name!r}. Known: {', '.join(sorted(known))}.")
    return known[name]


def checked(bench: Bench) -> list[PlannedPart]:
    """Check an unsaved bench, set its settings, name and queue, and return its plan. Raises JobError, SettingsError."""
    executor, benches = executor_named(bench.suite_name, bench.executor), benches_named(bench.suite_name)
    model_file = bench.model_file
    executor.check_file(model_file)
    bench.settings = catalogue.checked(executor, bench.settings, model_file)
    bench.queue = executor.queue
    bench.name = (
        naming.adapter_name(executor, model_file, bench.settings) if executor.is_adapter else executor.name
    )
    try:
        return benches.plan(order_of(bench, executor))
    except BenchmarkError as error:
        raise JobError(model_files.without_folder(str(error))) from error


def order_of(bench: Bench, executor: Executor) -> BenchOrder:
    """The `BenchOrder` that the engine runs. Raises SettingsError if a file or the server is no longer registered."""
    settings = catalogue.with_files(executor, bench.settings, bench.model_file) if executor.is_adapter else {}
    return BenchOrder(
        name=bench.name,
        size=bench.size,
        adapter=executor.label if executor.is_adapter else "",
        settings={name: _as_text(value) for name, value in settings.items()},
        aliases=_aliases(bench.settings),
        seeds=bench.seeds,
        parts=bench.parts,
        bars=bench.thresholds,
    )


def command(bench: Bench) -> str:
    """Shell command that runs the same bench, with this site's names of files and servers; empty if there is none."""
    try:
        executor = executor_named(bench.suite_name, bench.executor)
        return benches_named(bench.suite_name).command(order_of(bench, executor))
    except (JobError, BenchmarkError, model_files.ModelFileError):
        return ""


def _aliases(settings: Mapping[str, catalogue.SettingValue]) -> dict[str, str]:
    # Reports must not contain paths of this machine or addresses of servers.
    aliases = {f"{model_files.folder()}/": "", f"{site.MODELS_DIR}/": ""}
    server = site.MODEL_SERVERS.get(str(settings.get("server", "")))
    return aliases | ({server.base_url: f"<{settings['server']}>"} if server else {})


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def files_of(bench: Bench, executor: Executor) -> list[ModelFile]:
    """The registered model files of a bench. Raises SettingsError if a file is no longer registered."""
    return catalogue.files_of(executor, bench.settings, bench.model_file)
