"""`goldevidencebench grade` over timelines and `state grade`: grade a file of responses."""

from __future__ import annotations

import argparse

from evaluation.core import jsonl
from evaluation.statebench.cli.reading import table

HELP = "Grade a file of responses."


def configure(parser: argparse.ArgumentParser) -> None:
    """The command's arguments; `--data` and `--pred` are their names in the command of both suites."""
    parser.add_argument("--timelines", "--data", required=True, help="timelines with ground truth")
    parser.add_argument(
        "--responses", "--pred", required=True, help="JSONL of timeline_id, query_idx, response"
    )
    parser.add_argument("--rubric", default="strict", help="1.0, 2.0 or strict (default)")
    parser.add_argument("--results-json", metavar="FILE", help="write the whole report there")


def run(args: argparse.Namespace) -> int:
    """Exit code 0: graded."""
    from evaluation.statebench import grade_files
    from evaluation.statebench.data.timeline import read_timelines

    for _ in read_timelines(jsonl.read_again(args.timelines)):
        pass  # each is a timeline with ground truth, or its line is named
    report = grade_files(args.timelines, args.responses, rubric=args.rubric)
    if args.results_json:
        with jsonl.fresh(args.results_json, sources=[args.timelines, args.responses]) as out:
            out.write(jsonl.dumps(report.as_dict()))
    columns = ("sfrr", "decision_accuracy", "must_mention_rate", "must_not_mention_violation_rate")
    lines = [("all", report.metrics), *report.tracks.items()]
    table(
        "Figures",
        ("track", *columns),
        [(name, *(found[column] for column in columns)) for name, found in lines],
    )
    return 0
