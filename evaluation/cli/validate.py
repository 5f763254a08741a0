"""`goldevidencebench validate`: check a predictions file as the site does, before it is uploaded."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from evaluation.cli.suites import suite_of
from evaluation.core import jsonl, validation
from evaluation.core.errors import FORM_FAULTS, BenchmarkError, RowError
from evaluation.core.files import flat
from evaluation.core.files.documents import beside
from evaluation.core.records import Row
from evaluation.core.row_states import sentence
from evaluation.core.suite import SUITES, ExpectedRows, Suite, get_suite
from evaluation.core.terminal.output import print_error, print_json
from evaluation.core.terminal.wording import number_of
from evaluation.core.validation import Intake, Limits

HELP = "Check a predictions file line by line, as the site checks an upload."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", required=True, metavar="ROWS", help="the version's rows (JSON lines, may be gzip)"
    )
    beside.add_option(parser)
    parser.add_argument("--pred", required=True, metavar="P", help="predictions (JSON lines, may be gzip)")
    parser.add_argument(
        "--suite", choices=list(SUITES), help="the suite of the rows (default: detected from them)"
    )
    parser.add_argument("--allow-missing", action="store_true", help="rows may be left without a prediction")


def run(args: argparse.Namespace) -> int:
    """Returns exit code 0 if the file is valid, otherwise 1."""
    with Path(args.pred).open("rb"):  # report a missing file before reading a gigabyte of rows
        pass
    suite = get_suite(args.suite or suite_of(args.data))
    expected = _expected(suite, args.data, args.documents)
    limits = Limits(allow_missing=args.allow_missing)
    intake = validation.check(args.pred, suite, expected, limits=limits)
    if not intake.ok:
        intake = _converted(args.pred, suite, expected, limits) or intake
    if args.json:
        print_json(_as_json(intake))
    else:
        _print(args.pred, intake)
    return 0 if intake.ok else 1


def _converted(path: str, suite: Suite, expected: ExpectedRows, limits: Limits) -> Intake | None:
    from evaluation.foreign import convert_for

    try:
        made = convert_for(path, expected.splits, suite)
    except (BenchmarkError, *FORM_FAULTS):
        return None  # the check of predictions has its own words for it
    if made is None:
        return None
    print(f"{path}: {made.sentence}", file=sys.stderr)
    with TemporaryDirectory() as folder:
        lines = Path(folder, "preds.jsonl")
        jsonl.write(lines, made.lines)
        return validation.check(lines, suite, expected, limits=limits)


def _expected(suite: Suite, path: str, documents: str) -> ExpectedRows:
    number = 0

    def rows() -> Iterator[Row]:
        nonlocal number
        for number, row in flat.read(path, documents):  # noqa: B007 - the error below tells it
            yield cast(Row, row)

    try:
        expected = suite.expected(rows(), lines=True)
    except (RowError, *FORM_FAULTS) as fault:
        if isinstance(fault, RowError) and fault.path:
            raise
        reason = fault.reason if isinstance(fault, RowError) else f"not a row of {suite.title}"
        raise RowError(reason, path=path, line=number) from fault
    if not expected.splits:
        raise BenchmarkError(f"{path}: no rows of {suite.title}: check --suite")
    return expected


def _as_json(intake: Intake) -> dict[str, object]:
    """The JSON object to print. Its splits are called `conditions`, because scripts rely on this name."""
    values = {"conditions" if name == "splits" else name: value for name, value in asdict(intake).items()}
    return values | {"groups": [group.as_dict() for group in intake.groups], "ok": intake.ok}


def _print(path: str, intake: Intake) -> None:
    for group in intake.groups:
        print_error(group.sentence(path))
    if intake.stopped:
        print_error(intake.summary)
    if intake.guess:
        print_error(f"{path}: {intake.guess.message}")
    if intake.ok and (warning := sentence(intake.states, "lines")):
        print(f"{path}: {warning}", file=sys.stderr)
    for finding in intake.warnings:
        print(f"{path}: warning: {finding.message}", file=sys.stderr)
    if intake.ok:
        covered = ", ".join(f"{name} {rows:,}" for name, rows in intake.splits.items())
        print(f"{path}: {number_of(intake.rows, 'prediction')}, ready to upload ({covered})")
    else:
        counts = ", ".join(f"{code} {count:,}" for code, count in intake.counts.items())
        print(f"{path}: not usable ({counts})")
