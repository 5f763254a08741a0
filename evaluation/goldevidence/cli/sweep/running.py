"""`goldevidencebench sweep run`: generates, answers and grades every combination of a grid of settings."""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.adapters.environment.provenance import ask_git
from evaluation.adapters.transcripts.record import Keep
from evaluation.core import jsonl
from evaluation.core.secrets import redact
from evaluation.core.terminal.arguments import positive
from evaluation.core.terminal.output import print_error, print_json
from evaluation.core.terminal.tables import show
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence.cli.sweep.options import (
    Actions,
    add_data_options,
    add_system_options,
    add_view_options,
    grid_of,
)
from evaluation.goldevidence.data.rubrics import DEFAULT_RUBRIC, RUBRICS
from evaluation.goldevidence.experiments.processes import usable_cores
from evaluation.goldevidence.experiments.sweep.grid import Cell
from evaluation.goldevidence.experiments.sweep.hooks import Hooks, Sweep
from evaluation.goldevidence.experiments.sweep_folder import COMBINED

if TYPE_CHECKING:
    from evaluation.adapters.runner import RowResult

PAUSED, INTERRUPTED = 3, 130  # exit codes


def configure(actions: Actions) -> None:
    parser = actions.add_parser(
        "run", help="Generate, answer and grade every run of a grid; an interrupted sweep continues."
    )
    parser.add_argument("--out", required=True, help="output folder of the sweep")
    add_system_options(parser)
    add_data_options(parser)
    add_view_options(parser)
    parser.add_argument(
        "--rubric", choices=list(RUBRICS), default=DEFAULT_RUBRIC, help=f"default {DEFAULT_RUBRIC}"
    )
    parser.add_argument("--results-json", metavar="FILE", help=f"a copy of {COMBINED}")
    parser.add_argument("--estimate", action="store_true", help="print the estimated duration and stop")
    add_run_options(parser)
    parser.set_defaults(act=_run)


def add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--jobs", type=positive, metavar="N", help="processes for deterministic systems (default: 1 per core)"
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="run all cells again, also those that are done or were run with other settings",
    )
    parser.add_argument(
        "--go-on",
        action="store_true",
        help="do not pause if too many rows have no answer: they count as wrong",
    )
    parser.add_argument(
        "--transcripts",
        choices=[each.value for each in Keep],
        default=Keep.FULL.value,
        help="how much of a model's replies is stored: all, all but reasoning (only its length), or nothing",
    )


def _run(args: argparse.Namespace) -> int:
    ask_git()  # it answers while modules are imported

    from evaluation.goldevidence.experiments.sweep.running import run_sweep

    grid, out = grid_of(args), Path(args.out)
    if args.estimate:
        from evaluation.goldevidence.experiments.sweep.estimate import estimated

        estimate = estimated(grid)
        print("\n".join(estimate.sentences()))
        if args.json:
            print_json(estimate.as_dict())
        return 0
    with watching(args, "sweep", len(grid)) as (hooks, options):
        sweep = run_sweep(grid, out, hooks, **options)
    _tell(sweep, out)
    if args.results_json and Path(args.results_json).resolve() != (out / COMBINED).resolve():
        jsonl.save(args.results_json, (out / COMBINED).read_bytes())
    if args.json:
        counts = {"total": sweep.total, "runs": len(sweep.runs), "reused": sweep.reused}
        print_json({"out": str(out), **counts, "stopped": sweep.stopped, "paused": sweep.paused})
    return ended(sweep, out)


def _tell(sweep: Sweep, out: Path) -> None:
    from evaluation.goldevidence.experiments.sweep.report import figures_table, write_report, write_tables

    write_report(out / COMBINED, out, write_tables(out / COMBINED, sweep.runs), sweep.runs)
    if sweep.runs:
        table = figures_table(sweep.runs)
        show("Figures", table.headings, table.rows)


@contextmanager
def watching(args: argparse.Namespace, title: str, total: int) -> Iterator[tuple[Hooks, dict[str, Any]]]:
    """Show a progress bar, and let Ctrl-C stop after a row. Yields hooks and keyword arguments for a sweep or bench."""
    options: dict[str, Any] = {
        "jobs": args.jobs or usable_cores(),
        "again": args.again,
        "go_on": args.go_on,
        "keep": Keep(args.transcripts),
        "command": redact(shlex.join(["goldevidencebench", *sys.argv[1:]])),
    }
    with _stop_asked() as should_stop, bar(title, total) as (on_cell, on_row):
        yield Hooks(on_cell, on_row, should_stop), options


def ended(sweep: Sweep, out: Path) -> int:
    """Print how a sweep ended and return the exit code."""
    before = f", {sweep.reused} of them before" if sweep.reused else ""
    print(f"{number_of(len(sweep.runs), 'run')} written to {out}{before}")
    if sweep.is_done:
        return 0
    left = number_of(sweep.total - len(sweep.runs), "cell is left", "cells are left")
    if sweep.paused:
        reason = sweep.pause_reason or "Too many rows have no answer."
        print_error(
            f"{reason}\n{left}: fix the cause and run the same command again (--go-on: such rows count as wrong)."
        )
        return PAUSED
    print_error(f"stopped, {left}: run the same command again to continue.")
    return INTERRUPTED


@contextmanager
def bar(
    title: str, total: int
) -> Iterator[tuple[Callable[[int, int], None], Callable[[Cell, RowResult], None]]]:
    """Show a progress bar. Yields two callbacks: for each finished cell, and for each row answered by an adapter."""
    if not sys.stderr.isatty():
        yield lambda done, total: None, lambda cell, result: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[row]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    # No drawing thread: deterministic systems run in processes forked from here.
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as progress:
        task = progress.add_task(title, total=total, row="")

        def on_cell(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total, row="", refresh=True)

        def on_row(cell: Cell, result: RowResult) -> None:
            row = f"{cell.contestant.name} row {result.done}/{result.total} {result.rate:.2f}/s"
            progress.update(task, row=row, refresh=True)

        yield on_cell, on_row


@contextmanager
def _stop_asked() -> Iterator[Callable[[], bool]]:
    asked: list[int] = []  # the first Ctrl-C asks for a stop; a second one interrupts at once

    def on_signal(number: int, frame: object) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)
        print("\nstopping; answered rows are saved", file=sys.stderr)

    previous = signal.signal(signal.SIGINT, on_signal)
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGINT, previous)
