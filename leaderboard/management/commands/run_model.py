"""Run an adapter, usually with a local model, over a version in this process, as a verified submission."""

from __future__ import annotations

import signal
import threading
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from evaluation.adapters import names
from evaluation.adapters.pairs import parse_pairs
from evaluation.core.errors import BenchmarkError
from leaderboard.benchmarks import seeding
from leaderboard.benchmarks.models import Version
from leaderboard.management.base import SiteCommand
from leaderboard.management.versions import add_part, open_version
from leaderboard.runs import execution, holders, model_checks, model_files
from leaderboard.runs import services as runs
from leaderboard.runs.catalogue import ADAPTER_PREFIX
from leaderboard.runs.model_job import JobError
from leaderboard.runs.models import ModelFile, Run


class Command(SiteCommand):
    makes_figures = True
    help = "Run a model: run_model goldevidencebench/order-bias-short --adapter llama_cpp --model qwen.gguf"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_part(parser)
        parser.add_argument("--adapter", required=True, help=f"one of {', '.join(names())}")
        parser.add_argument(
            "--model", default="", help="a file in the models folder: GGUF, or trained for the adapter"
        )
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help="a setting of the adapter; repeatable",
        )
        parser.add_argument(
            "--resume",
            metavar="ID",
            default="",
            help="continue this run; after a pause, retry unanswered rows",
        )
        parser.add_argument(
            "--go-on",
            action="store_true",
            help="do not pause if too many rows are unanswered: count them as wrong, and do not retry them",
        )

        parser.add_argument(
            "--entry",
            action="store_true",
            help="use the result on the leaderboard, declared before the score is known",
        )

        parser.add_argument(
            "--repeats",
            type=int,
            default=1,
            metavar="K",
            help="with --entry: run K times with different seeds; the mean is ranked",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        for run in self._runs(options):
            self._execute(run, options)

    def _execute(self, run: Run, options: dict[str, Any]) -> None:
        of = f", repeat {run.repeat} of {run.mean.repeats}" if run.mean else ""
        self.stdout.write(f"run {run.pk}{of}")
        with _Bar() as bar, _Interrupt() as stop:
            runs.execute(str(run.pk), grade_now=True, on_progress=bar, stop=stop)
        run = Run.objects.select_related("submission__score", "version__benchmark", "model_file").get(
            pk=run.pk
        )
        if missing := holders.missing_here(execution.files_of(run)) if run.is_active else []:
            names = ", ".join(f"{file.path} (SHA-256 {file.sha256})" for file in missing)
            raise CommandError(
                f"This machine's MODELS_DIR lacks {names}. Run {run.pk} waits for a worker with these files."
            )
        if run.status == Run.Status.PAUSED:
            again = self._again(options, run)
            raise CommandError(
                f"Paused. {run.error}\nContinue with: {again}   or: {again} --go-on", returncode=3
            )
        if run.status == Run.Status.CANCELLED:
            raise CommandError(f"Cancelled. Continue with: {self._again(options, run)}", returncode=130)
        if run.submission is None or run.submission.score is None:
            raise CommandError(run.error or f"{run.get_status_display()}: another process executes it")
        self.stdout.write(f"{run.system}: {run.submission.result_line(run.submission.score)}")
        self.stdout.write(run.submission.get_absolute_url())

    def _runs(self, options: dict[str, Any]) -> list[Run]:
        """The new runs (several with --repeats), or the unfinished run to resume."""
        try:
            version = open_version(options["version"])
            if options["resume"]:
                return [_resumed(options["resume"], version, go_on=options["go_on"])]
            return runs.start_repeats(
                repeats=options["repeats"],
                version=version,
                executor=ADAPTER_PREFIX + options["adapter"],
                started_by=seeding.site_user(),
                model_file=_model(options["model"]) if options["model"] else None,
                values=parse_pairs(options["set"]),
                splits=options["conditions"],
                row_limit=options["limit"],
                wake_worker=False,
                by_hand=True,
                go_on=options["go_on"],
                declared=options["entry"],
            )
        except (JobError, model_files.ModelFileError, BenchmarkError) as error:
            raise CommandError(str(error)) from error

    def _again(self, options: dict[str, Any], run: Run) -> str:
        return f"python manage.py run_model {options['version']} --adapter {options['adapter']} --resume {run.pk}"


def _resumed(pk: str, version: Version, *, go_on: bool) -> Run:
    run = Run.objects.filter(pk=pk, version=version).first()
    if run is None or not runs.resume(run, wake_worker=False, go_on=go_on):
        raise CommandError(f"There is no paused, cancelled or failed run {pk} over {version}.")
    return run


def _model(name: str) -> ModelFile:
    return ModelFile.objects.filter(path=name).first() or model_checks.register(name, by=seeding.site_user())


class _Bar:
    """Progress bar, called with (rows done, rows in all, rows per second)."""

    def __init__(self) -> None:
        columns = (TextColumn("rows"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
        self._bar = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True))
        self._task = self._bar.add_task("rows", total=None, rate="")

    def __enter__(self) -> _Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, done: int, total: int, rate: float) -> None:
        self._bar.update(self._task, completed=done, total=total, rate=f"{rate:.2f}/s")


class _Interrupt(threading.Event):
    """Event set by the first Ctrl-C, which stops the run even in the middle of a row. Finished rows stay saved.

    The second Ctrl-C interrupts the process at once.
    """

    def __enter__(self) -> _Interrupt:
        self._previous = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._previous)

    def _on_signal(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._previous)
        self.set()
