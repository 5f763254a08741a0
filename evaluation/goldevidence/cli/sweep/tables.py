"""Prints tables of finished sweeps: `sweep summarize`, `sweep report`, `sweep collect`."""

from __future__ import annotations

import argparse
from pathlib import Path

import orjson

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal.arguments import above_zero, positive
from evaluation.core.terminal.output import print_json
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence.cli.sweep.options import Actions, numbers
from evaluation.goldevidence.data.buckets import EDGES

SECONDS = 30.0  # per question, for a 7B model on a CPU: the reference's guess
_TYPED = "with types, as .parquet, .csv, .json or .jsonl (docs/frames.md; needs the extra frames)"
_BUCKETS = {
    "--recency-buckets": "tokens_since_update",
    "--distractor-buckets": "distractors_since_update",
    "--writes-buckets": "writes_to_key",
}


def configure(actions: Actions) -> None:
    summarize_parser = actions.add_parser(
        "summarize", help="Summarize one sweep: means, decomposition, recency."
    )
    summarize_parser.add_argument("--in", dest="combined", required=True, help="the sweep's combined.json")
    summarize_parser.add_argument("--out-json", help="output file of the summary (default: print it)")
    summarize_parser.add_argument("--out-csv", help="output file, one line per run")
    summarize_parser.add_argument(
        "--out-decomposition", "--out-decomp-csv", help="output file, one line per run with candidates"
    )
    summarize_parser.add_argument("--out-frame", metavar="FILE", help=f"file, one line per run, {_TYPED}")
    for option, name in _BUCKETS.items():
        summarize_parser.add_argument(option, help=f"bucket edges of {name}, separated by commas")
    summarize_parser.set_defaults(act=_summarize)

    report_parser = actions.add_parser(
        "report", help="Write tables and plots of a sweep: Markdown, SVG and one HTML page."
    )
    report_parser.add_argument("--in", dest="combined", required=True, help="the sweep's combined.json")
    report_parser.add_argument("--out", help="output folder (default: the folder of the sweep)")
    report_parser.set_defaults(act=_report)

    collect_parser = actions.add_parser(
        "collect",
        help="Write one line per system and condition of each sweep folder that has a summary.json.",
    )
    collect_parser.add_argument(
        "--root", "--runs-dir", required=True, help="the folder that holds the sweeps"
    )
    collect_parser.add_argument("--out-csv", required=True, help="output file of the lines")
    collect_parser.add_argument("--out-frame", metavar="FILE", help=f"the lines, {_TYPED}")
    collect_parser.add_argument(
        "--latest-only", action="store_true", help="only the newest of several sweeps with the same name"
    )
    collect_parser.set_defaults(act=_collect)
    _add_estimate(actions)


def _add_estimate(actions: Actions) -> None:
    """Add the action `estimate`. Its options give the size of a sweep in numbers."""
    parser = actions.add_parser(
        "estimate",
        help="Estimate the duration of a sweep at a known pace (`sweep run --estimate` measures it).",
    )
    for option, text in (
        ("--seeds", "number of seeds"),
        ("--episodes", "episodes per seed"),
        ("--queries", "questions per episode"),
        ("--state-modes", "number of state modes"),
        ("--distractor-profiles", "number of distractor profiles"),
    ):
        parser.add_argument(option, type=positive, required=True, metavar="N", help=text)
    parser.add_argument("--twins", action="store_true", help="every episode has a twin")
    parser.add_argument(
        "--seconds-per-q",
        type=above_zero,
        default=SECONDS,
        metavar="S",
        help=f"the pace (default {SECONDS:g})",
    )
    parser.add_argument("--from-combined", metavar="FILE", help="take the mean pace of this sweep instead")
    parser.set_defaults(act=_estimate)


def _summarize(args: argparse.Namespace) -> int:
    from evaluation.goldevidence.experiments.summary import decompositions, flat_runs, summarize, to_csv

    provided = {name: getattr(args, option[2:].replace("-", "_")) for option, name in _BUCKETS.items()}
    edges = {name: numbers(text) if (text := provided[name]) else EDGES[name] for name in EDGES}
    found = summarize(args.combined, edges)
    summary = orjson.dumps(found, option=orjson.OPT_INDENT_2)
    if args.out_json:
        jsonl.save(args.out_json, summary)
    else:
        print(summary.decode())
    if args.out_csv:
        jsonl.save(args.out_csv, to_csv(flat_runs(args.combined)).encode())
    if args.out_decomposition:
        jsonl.save(args.out_decomposition, to_csv(decompositions(args.combined)).encode())
    if args.out_frame:
        from evaluation.frames.sweeps import write_runs

        write_runs(flat_runs(args.combined), args.out_frame)
    if args.json:
        print_json(found)
    return 0


def _report(args: argparse.Namespace) -> int:
    from evaluation.goldevidence.experiments.sweep.report import write_report

    out = args.out or Path(args.combined).parent
    page = write_report(args.combined, out)
    print(f"report written to {page}")
    if args.json:
        print_json({"out": str(out), "page": str(page)})
    return 0


def _collect(args: argparse.Namespace) -> int:
    from evaluation.goldevidence.experiments.summary import collect, to_csv

    lines = collect(args.root, latest_only=args.latest_only)
    jsonl.save(args.out_csv, to_csv(lines).encode())
    if args.out_frame:
        from evaluation.frames.sweeps import write_summaries

        write_summaries(lines, args.out_frame)
    sweeps = number_of(len({line["run_dir"] for line in lines}), "sweep")
    print(f"{sweeps} written to {args.out_csv}, {number_of(len(lines), 'line')}")
    return 0


def _estimate(args: argparse.Namespace) -> int:
    from evaluation.adapters.estimate import about

    cells = args.seeds * args.episodes * args.state_modes * args.distractor_profiles
    questions = cells * args.queries * (2 if args.twins else 1)
    pace = _pace(args.from_combined) if args.from_combined else args.seconds_per_q
    seconds = questions * pace
    if args.json:
        print_json({"questions": questions, "seconds_per_q": pace, "seconds": seconds})
        return 0
    print(f"{number_of(questions, 'question')} at {pace:.4g} s each: {about(seconds)}")
    for name, value in (("seconds", seconds), ("minutes", seconds / 60), ("hours", seconds / 3600)):
        print(f"{name}={value:.2f}")
    return 0


def _pace(combined: str) -> float:
    from evaluation.goldevidence.experiments.sweep_folder import read_runs

    paces = [(run.get("efficiency") or {}).get("wall_s_per_q") for run in read_runs(combined)]
    known = [pace for pace in paces if isinstance(pace, int | float)]
    if not known:
        raise BenchmarkError(f"{combined}: no run records the seconds per question (efficiency.wall_s_per_q)")
    return sum(known) / len(known)
