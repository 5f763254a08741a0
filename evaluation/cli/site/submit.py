"""`goldevidencebench submit`: send predictions files, and with --wait wait for their scores."""

from __future__ import annotations

import argparse
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.core.terminal.output import print_error, print_json
from evaluation.core.terminal.wording import number_of
from evaluation.remote import options
from evaluation.remote.client import ClientError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.remote.records import Finding, Intake, Submission

HELP = "Submit a predictions file, or the files of several repeats; --wait waits for the score."
KINDS = ("llm", "pipeline", "selector", "retriever", "strategy", "memory", "baseline")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("version", help="benchmark/version")
    parser.add_argument(
        "file",
        type=Path,
        nargs="+",
        help="predictions (JSON lines, may be gzip), or a file that `convert` reads; with --repeats K, up to K "
        "files, one per repeat",
    )
    parser.add_argument("--system", required=True, help="one of your systems, or the name of a new one")
    parser.add_argument("--team", help="your team that owns the system (default: you own it)")
    parser.add_argument(
        "--kind", choices=KINDS, help="kind of a new system (default: llm; memory for a file of contexts)"
    )
    parser.add_argument("--parameters", help="parameters of a new system, such as 7B")
    parser.add_argument("--quantization", help="quantization of a new system, such as Q5_K_M")
    parser.add_argument("--url", help="URL of the paper or code of a new system")
    parser.add_argument(
        "--private", action="store_true", help="make the submission private (default: public)"
    )
    parser.add_argument(
        "--entry",
        action="store_true",
        help="make it the system's leaderboard entry, in place of the current one (decide before you know the score)",
    )
    parser.add_argument(
        "--repeats",
        type=int,
        metavar="K",
        help="with --entry: average K submissions (default: the number of files)",
    )
    parser.add_argument("--note", help="a note for readers of the submission")
    parser.add_argument(
        "--tokens-per-query", type=float, help="mean number of tokens per question, if measured"
    )
    parser.add_argument(
        "--key", help="idempotency key: the same file sent twice with one key makes one submission"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="let the site check the file, without submitting it"
    )
    parser.add_argument(
        "--allow-unanswered",
        action="store_true",
        help="submit even if some lines have no readable answer: they count as wrong",
    )
    parser.add_argument("--wait", action="store_true", help="wait until it is graded")
    parser.add_argument(
        "--timeout", type=float, default=600, metavar="S", help="how long to wait (default 600)"
    )
    options.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Returns exit code 0 if accepted (with --wait: graded), 1 if refused or not gradable, 2 for wrong options."""
    repeats = args.repeats or len(args.file)
    if repeats > 1 and not (args.entry or args.dry_run):
        print_error("goldevidencebench: several repeats need --entry")
        return 2
    if len(args.file) > repeats:
        print_error(
            f"goldevidencebench: {len(args.file)} files for --repeats {repeats}: give one file per repeat"
        )
        return 2
    results: list[Any] = []
    for number, file in enumerate(args.file, 1):
        try:
            result = _check(args, file) if args.dry_run else _submit(args, file, number, repeats)
        except ClientError as error:
            options.print_refusal(str(file), error, as_json=args.json)
            return 1
        results.append(result)
    statuses = [_followed(args, each) for each in results] if not args.dry_run else []
    if args.json:
        raws = [each.raw for each in (statuses or results)]
        print_json(raws[0] if len(raws) == 1 else raws)
    return 1 if any(each.status == "failed" for each in statuses) else 0


def _check(args: argparse.Namespace, file: Path) -> Intake:
    from evaluation.foreign.sending import sendable
    from evaluation.remote.records import Intake

    with options.connect(args) as client, sendable(file) as sent:
        intake = client.post_file(f"/versions/{args.version}/validate", sent, Intake)
    if not args.json:
        covered = ", ".join(intake.conditions)
        print(f"{file}: {number_of(intake.rows, 'prediction')}, ready to submit ({covered})")
        if intake.warning:
            print(f"{file}: {intake.warning}", file=sys.stderr)
        _print_warnings(file, intake.warnings)
    return intake


def _print_warnings(file: Path, warnings: Sequence[Finding] | None) -> None:
    from evaluation.foreign.sending import READ_AS

    for each in warnings or ():
        print(f"{file}: {'' if each.code == READ_AS else 'warning: '}{each.message}", file=sys.stderr)


def _submit(args: argparse.Namespace, file: Path, number: int, repeats: int) -> Submission:
    from evaluation.foreign.sending import sendable
    from evaluation.remote.records import Submission

    key = args.key or uuid.uuid4().hex
    with options.connect(args) as client, sendable(file) as sent:
        submission = client.post_file(
            "/submissions",
            sent,
            Submission,
            key=key if len(args.file) == 1 else f"{key}-{number}",
            version=args.version,
            system=args.system,
            team=args.team,
            kind=args.kind,
            parameters=args.parameters,
            quantization=args.quantization,
            url=args.url,
            visibility="private" if args.private else "public",
            entry="true" if args.entry else "",
            repeats=repeats if repeats > 1 else None,
            note=args.note,
            tokens_per_query=args.tokens_per_query,
            unanswered="take" if args.allow_unanswered else "refuse",
        )
    if not args.json:
        _print_warnings(file, submission.warnings)
    return submission


def _followed(args: argparse.Namespace, submission: Submission) -> Submission:
    if args.wait:
        with options.connect(args) as client:
            submission = options.wait(client, submission.id, seconds=args.timeout)
    if not args.json:
        print(options.describe(submission))
    return submission
