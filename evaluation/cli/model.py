"""`goldevidencebench model`: run a system under test over a data file and save its predictions."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from evaluation import adapters
from evaluation.adapters import find_factory, load_adapter, row_limit, settings_of
from evaluation.adapters.base import PROTOCOLS, Adapter
from evaluation.adapters.determinism import Difference, check_determinism
from evaluation.adapters.estimate import about, estimate
from evaluation.adapters.kinds import RowKind, kind_of, reading
from evaluation.adapters.pairs import parse_pairs
from evaluation.adapters.prompt_sets import part_of_identity
from evaluation.adapters.run_files import RunFiles, begun_by
from evaluation.adapters.runner import RowResult, RunSummary, provenance
from evaluation.adapters.settings import from_environment, json_schema
from evaluation.adapters.transcripts.record import Keep
from evaluation.cli import model_grading
from evaluation.cli.model_arguments import translate_arguments
from evaluation.cli.model_results import (
    digest,
    print_pause,
    print_summary,
    print_unanswered,
    results_of,
    write_results,
)
from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError, RowError
from evaluation.core.files.documents import beside
from evaluation.core.records import Row
from evaluation.core.row_states import unanswered
from evaluation.core.secrets import without_secrets
from evaluation.core.terminal.arguments import positive
from evaluation.core.terminal.output import print_json
from evaluation.core.terminal.wording import number_of

HELP = (
    "Run a system under test (a local model, a server, or your own module:factory) and grade its predictions."
)
__all__ = [
    "HELP",
    "add_system_arguments",
    "configure",
    "load_rows",
    "load_system",
    "run",
    "translate_arguments",
]
DETERMINISM_ROWS = 16
PAUSED = 3  # exit code


def configure(parser: argparse.ArgumentParser) -> None:
    add_system_arguments(parser)
    parser.add_argument(
        "--out",
        default="",
        metavar="P",
        help="predictions file (JSON lines); without it, predictions are graded and deleted, and cannot be resumed",
    )
    parser.add_argument(
        "--results-json", metavar="FILE", help="write metrics, efficiency and provenance here"
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue the --out file of an interrupted or paused run; after a pause, unanswered rows are asked again",
    )
    parser.add_argument(
        "--go-on",
        action="store_true",
        help="do not pause if too many rows are unanswered (they count as wrong), and do not ask them again",
    )
    parser.add_argument(
        "--check-determinism", action="store_true", help="answer the first rows twice and compare"
    )
    parser.add_argument("--estimate", action="store_true", help="estimate how long the run takes, and exit")
    parser.add_argument(
        "--transcripts",
        choices=[each.value for each in Keep],
        default=Keep.FULL.value,
        help="what to store of each reply beside the predictions: all of it; all but the text of reasoning; nothing",
    )
    parser.add_argument(
        "--max-book-tokens",
        type=positive,
        metavar="N",
        help="show only the last N words of each text (the memory budget of a sweep)",
    )
    model_grading.add_options(parser)


def add_system_arguments(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(adapters.names())
    parser.add_argument("--adapter", required=True, help=f"one of {names}, or module:factory of your own")
    parser.add_argument(
        "--data", required=True, metavar="D", help="rows or timelines (JSON lines, may be gzip)"
    )
    beside.add_option(parser)
    parser.add_argument(
        "--protocol",
        choices=PROTOCOLS,
        help="which text of rows with both book and log to show (default: book); other rows show the text they have",
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the adapter"
    )
    parser.add_argument(
        "--limit",
        type=positive,
        metavar="N",
        help="ask only N questions, spread over splits and lengths",
    )


def run(args: argparse.Namespace) -> int:
    """Returns exit code 0 when done, 1 if not deterministic, 3 if paused, 130 if interrupted.

    After 3 or 130 the run can be continued with --resume.
    """
    if args.resume and not args.out:
        raise BenchmarkError("--resume needs --out, the predictions file to continue")
    rows, kind = load_rows(args)
    model_grading.check_options(args, kind)
    args.protocol = reading(kind, rows, args.protocol)
    if args.max_book_tokens:
        rows = _within(rows, args, kind)
    with load_system(args, kind) as adapter:
        if args.estimate:
            found = estimate(rows, adapter, protocol=args.protocol, kind=kind)
            print(found.sentence())
            if args.json:
                print_json(found.as_dict())
            return 0
        if args.check_determinism and (differences := _differences(rows, adapter, args.protocol, kind)):
            if args.json:
                print_json({"differences": [asdict(each) for each in differences]})
            return 1
        with _place(args.out) as out:
            return _answer(rows, adapter, args, kind, out)


def _answer(rows: list[Row], adapter: Adapter, args: argparse.Namespace, kind: RowKind, out: Path) -> int:
    identity = _identity(args, kind) | part_of_identity(provenance(adapter))
    with RunFiles(
        out,
        identity,
        resume=args.resume,
        keep_unanswered=args.go_on,
        kind=kind,
        keep=Keep(args.transcripts) if args.out else Keep.OFF,
    ) as files:
        summary = _run(rows, adapter, args, files)
    done = not (summary.paused or summary.cancelled)
    if done:
        files.transcripts.pack()
    print_summary(summary, files)
    graded = (
        model_grading.graded(args, kind, out, _words(rows, kind, args.protocol))
        if done
        else model_grading.NOTHING
    )
    if args.results_json or args.json:
        results = results_of(summary, files, args, graded)
        if args.results_json:
            write_results(results, args)
        if args.json:
            print_json(results)
    if summary.paused:
        print_pause(summary)
        return PAUSED
    if unanswered(summary.states):
        print_unanswered(summary)
    return 130 if summary.cancelled else 0


@contextmanager
def _place(out: str) -> Iterator[Path]:
    if out:
        yield Path(out)
        return
    with TemporaryDirectory(prefix="goldevidencebench-") as folder:
        yield Path(folder) / "preds.jsonl"


def _within(rows: Sequence[Row], args: argparse.Namespace, kind: RowKind) -> list[Row]:
    cut = getattr(kind, "within", None)
    if cut is None:
        raise BenchmarkError(f"--max-book-tokens does not apply to rows of {kind.name}")
    return [cut(row, args.protocol, args.max_book_tokens) for row in rows]


def _words(rows: Sequence[Row], kind: RowKind, protocol: str) -> dict[str, int]:
    count = getattr(kind, "words", None)
    return {} if count is None else {row["id"]: count(row, protocol) for row in rows}


def load_rows(args: argparse.Namespace) -> tuple[list[Row], RowKind]:
    """The questions of the data file without gold, and the kind of its rows. Raises BenchmarkError."""
    first = next(beside.read(jsonl.read_again(args.data), args.documents), None)
    if first is None:
        raise BenchmarkError(f"{args.data}: no rows")
    try:
        kind = kind_of(first)
        return _questions(args, kind), kind
    except RowError as error:
        raise error if error.path else RowError(error.reason, path=args.data) from error


def _questions(args: argparse.Namespace, kind: RowKind) -> list[Row]:
    if not args.limit:
        return list(kind.questions(_sharing(beside.read(args.data, args.documents, keep=None))))
    read = partial(beside.read, args.data, args.documents)
    if row_limit.began_with_first(_begun(args)):
        return list(islice(kind.questions(_sharing(read())), args.limit))
    rows = (cast(Row, row) for row in read())
    asked = row_limit.spread(row_limit.candidates(rows, kind), args.limit)
    return [question for question in kind.questions(_sharing(read())) if question["id"] in asked]


def _begun(args: argparse.Namespace) -> Mapping[str, object]:
    return begun_by(args.out) if getattr(args, "resume", False) else {}


def _sharing(rows: Iterable[dict[str, Any]]) -> Iterator[Row]:
    """Yield the rows. A text equal to that of the row before becomes the same object, which saves memory."""
    last: dict[str, object] = {}
    for row in rows:
        row.update(
            {
                name: last[name]
                for name, text in row.items()
                if isinstance(text, str) and last.get(name) == text
            }
        )
        last = row
        yield cast(Row, row)


def load_system(args: argparse.Namespace, kind: RowKind) -> Any:
    """The adapter named on the command line, as a context manager that closes it."""
    adapter = load_adapter(args.adapter, parse_pairs(args.set), kind.adapters)
    return closing(adapter) if hasattr(adapter, "close") else nullcontext(adapter)


def _run(rows: Sequence[Row], adapter: Adapter, args: argparse.Namespace, files: RunFiles) -> RunSummary:
    """Answer the rows with a progress bar. Ctrl-C stops the run, even within a row; finished answers are saved."""
    stopped = _Interrupt()
    console = Console(stderr=True)
    columns = (TextColumn("rows"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
    with stopped, Progress(*columns, console=console) as bar:
        task = bar.add_task("rows", total=len(rows), completed=len(files.done_ids), rate="")
        spent = files.usage.cost

        def show(result: RowResult) -> None:
            nonlocal spent
            spent += result.usage.cost
            told = [_pace(result), f"cost {spent:.4g}" if spent else ""]
            bar.update(task, completed=result.done, rate=", ".join(filter(None, told)))

        return files.answer(
            rows,
            adapter,
            protocol=args.protocol,
            on_row=show,
            should_stop=stopped,
            may_pause=not args.go_on,
        )


def _pace(result: RowResult) -> str:
    if not result.rate or result.eta_s is None:
        return ""
    return f"{result.rate:.2f}/s, {about(result.eta_s)} left"


class _Interrupt:
    """Turns the first Ctrl-C into a request to stop. A second Ctrl-C interrupts at once."""

    def __init__(self) -> None:
        self._asked = False

    def __call__(self) -> bool:
        return self._asked

    def __enter__(self) -> None:
        self._previous = signal.signal(signal.SIGINT, self._on_signal)

    def __exit__(self, *_details: object) -> None:
        signal.signal(signal.SIGINT, self._previous)

    def _on_signal(self, number: int, frame: object) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True
        print("\nstopping; answers so far are saved", file=sys.stderr)


def _differences(rows: Sequence[Row], adapter: Adapter, protocol: str, kind: RowKind) -> list[Difference]:
    sample = rows[:DETERMINISM_ROWS]
    differences = check_determinism(sample, adapter, protocol=protocol, kind=kind)
    for difference in differences:
        print(f"{difference.id}: first {difference.first}, then {difference.second}")
    print(
        f"determinism: {len(sample) - len(differences)} of {number_of(len(sample), 'row')} answered the same twice"
    )
    return differences


def _identity(args: argparse.Namespace, kind: RowKind) -> dict[str, object]:
    settings = settings_of(find_factory(args.adapter, kind.adapters))
    told = {} if settings is None else from_environment(json_schema(settings)["properties"])
    rows = {} if row_limit.began_with_first(_begun(args)) else row_limit.IDENTITY
    cut = {"max_book_tokens": args.max_book_tokens} if args.max_book_tokens else {}
    return {
        **rows,
        **cut,
        "adapter": args.adapter,
        "protocol": args.protocol,
        "settings": without_secrets(told | parse_pairs(args.set)),
        "data": digest(args.data),
    }
