"""`goldevidencebench bridge`: write a version as a task for another evaluation harness."""

from __future__ import annotations

import argparse

from evaluation.core.terminal.output import print_json

HELP = "Write a version as a task for another harness, scored by this grader."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "harness", choices=["lm-eval"], help="lm-evaluation-harness (for Inspect, see docs/python.md)"
    )
    parser.add_argument(
        "--version", required=True, help="a file of rows, `benchmark/version` of a site, or `suite:preset`"
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
    parser.add_argument("--prompt", default="", help="a prompt set (default: the suite's own)")
    parser.add_argument(
        "--server", default="", metavar="URL", help="URL of the site (default: the site of the last login)"
    )


def run(args: argparse.Namespace) -> int:
    from evaluation.harnesses.lm_eval import write_task

    name = write_task(args.version, args.out, site=args.server, prompt=args.prompt)
    if args.json:
        print_json({"out": args.out, "task": name})
        return 0
    print(
        f"{args.out}: task {name}. Try: lm-eval run --model … --tasks {name} --include_path {args.out} --log_samples"
    )
    return 0
