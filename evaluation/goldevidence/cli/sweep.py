"""`goldevidencebench sweep`: run a grid of settings, summarize sweeps, collect summaries."""

from __future__ import annotations

import argparse
from pathlib import Path

import orjson
from rich.console import Console
from rich.progress import Progress

from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal.arguments import positive, rate
from evaluation.core.terminal.tables import rate_text, show
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.data.buckets import EDGES
from evaluation.goldevidence.data.rubrics import RUBRICS
from evaluation.goldevidence.experiments.summary import collect, decompositions, flat_runs, summarize, to_csv
from evaluation.goldevidence.experiments.sweep import Grid, run_sweep
from evaluation.goldevidence.experiments.sweep_folder import COMBINED
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.retrieval import RIVALS

HELP = "run a grid of settings and systems; summarize sweeps; collect their summaries"
SHOWN = ("gold_present_rate", "selection_rate", "accuracy_when_gold_present", "overall_value_acc")


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    run_parser = actions.add_parser("run", help="generate, answer and grade every cell of a grid")
    run_parser.add_argument("--out", required=True, help="the folder of the sweep")
    run_parser.add_argument(
        "--systems", default="prefer_update_latest", help="deterministic systems, by comma"
    )
    run_parser.add_argument("--seeds", type=positive, default=1, help="seeds 0 to N-1 (default 1)")
    run_parser.add_argument("--episodes", type=positive, default=1, help="episodes per seed")
    run_parser.add_argument("--queries", type=positive, default=12, help="questions per episode")
    run_parser.add_argument("--steps-list", default="220", help="lengths, by comma")
    run_parser.add_argument("--state-modes", default="kv", help="by comma")
    run_parser.add_argument("--distractor-profiles", default="standard", help="by comma")
    run_parser.add_argument("--note-rate", type=rate, default=0.12, help="share of NOTEs (kv_commentary)")
    run_parser.add_argument("--no-twins", action="store_true", help="no counterfactual twins")
    run_parser.add_argument("--no-derived-queries", action="store_true", help="direct questions only")
    run_parser.add_argument(
        "--k-list", default="", help="candidates shown, by comma; without it the whole book"
    )
    run_parser.add_argument("--orders", default="shuffle", help="orders of the candidates, by comma")
    run_parser.add_argument("--wrong-type", choices=RIVALS, default="same_key", help="the rival line")
    run_parser.add_argument("--drop-prob", type=rate, default=0.0, help="how often the gold line is dropped")
    run_parser.add_argument("--spoof-rate", type=rate, default=0.0, help="share of disguised lines")
    run_parser.add_argument("--rubric", choices=list(RUBRICS), default="strict", help="default strict")
    run_parser.set_defaults(act=_run)

    summarize_parser = actions.add_parser("summarize", help="one sweep: means, decomposition, recency")
    summarize_parser.add_argument("--in", dest="combined", required=True, help="the sweep's combined.json")
    summarize_parser.add_argument("--out-json", help="the summary; printed without it")
    summarize_parser.add_argument("--out-csv", help="one line per run")
    summarize_parser.add_argument("--out-decomposition", help="one line per run with candidates")
    summarize_parser.add_argument("--out-frame", metavar="FILE", help=f"one line per run, {_TYPED}")
    for option, name in _BUCKETS.items():
        summarize_parser.add_argument(option, help=f"edges of {name}, by comma")
    summarize_parser.set_defaults(act=_summarize)

    collect_parser = actions.add_parser("collect", help="one line per sweep folder that has a summary.json")
    collect_parser.add_argument("--root", required=True, help="the folder that holds the sweeps")
    collect_parser.add_argument("--out-csv", required=True, help="where the lines go")
    collect_parser.add_argument("--out-frame", metavar="FILE", help=f"the lines, {_TYPED}")
    collect_parser.add_argument("--latest-only", action="store_true", help="the newest of those of one name")
    collect_parser.set_defaults(act=_collect)


_TYPED = "with types, as .parquet, .csv, .json or .jsonl (docs/frames.md; needs the extra frames)"
_BUCKETS = {
    "--recency-buckets": "tokens_since_update",
    "--distractor-buckets": "distractors_since_update",
    "--writes-buckets": "writes_to_key",
}


def run(args: argparse.Namespace) -> int:
    """Run the chosen action."""
    code: int = args.act(args)
    return code


def _run(args: argparse.Namespace) -> int:
    grid, combined = _grid(args), Path(args.out) / COMBINED
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("sweep", total=len(grid))
        run_sweep(grid, args.out, lambda done, total: bar.update(task, completed=done))
    _write_tables(combined)
    rows = (
        (
            line["baseline"],
            str(line["seed"]),
            f"k{line['retrieval_k']} {line['retrieval_order']}",
            *(rate_text(line[name]) for name in SHOWN),
        )
        for line in decompositions(combined)
    )
    if grid.conditions:
        show(
            "Decomposition",
            ("system", "seed", "condition", "shown", "chosen", "right when shown", "right"),
            rows,
        )
    print(f"{number_of(len(grid), 'run')} written to {args.out}")
    return 0


def _grid(args: argparse.Namespace) -> Grid:
    config = GeneratorConfig(
        episodes=args.episodes,
        queries=args.queries,
        note_rate=args.note_rate,
        twins=not args.no_twins,
        derived_query_rate=0.0 if args.no_derived_queries else 0.35,
    )
    shared = {"wrong_type": args.wrong_type, "drop_prob": args.drop_prob, "spoof_rate": args.spoof_rate}
    return Grid(
        systems=_list(args.systems),
        config=config,
        seeds=args.seeds,
        steps=_numbers(args.steps_list),
        state_modes=_list(args.state_modes),
        distractor_profiles=_list(args.distractor_profiles),
        conditions=[
            Condition.from_json({"k": k, "order": order} | shared)
            for k in _numbers(args.k_list)
            for order in _list(args.orders)
        ],
        rubric=args.rubric,
    )


def _write_tables(combined: Path) -> None:
    summary = orjson.dumps(summarize(combined), option=orjson.OPT_INDENT_2)
    (combined.parent / "summary.json").write_bytes(summary)
    (combined.parent / "summary.csv").write_text(to_csv(flat_runs(combined)), encoding="utf-8")
    (combined.parent / "decomposition.csv").write_text(to_csv(decompositions(combined)), encoding="utf-8")


def _summarize(args: argparse.Namespace) -> int:
    provided = {name: getattr(args, option[2:].replace("-", "_")) for option, name in _BUCKETS.items()}
    edges = {name: _numbers(text) if (text := provided[name]) else EDGES[name] for name in EDGES}
    summary = orjson.dumps(summarize(args.combined, edges), option=orjson.OPT_INDENT_2)
    if args.out_json:
        Path(args.out_json).write_bytes(summary)
    else:
        print(summary.decode())
    if args.out_csv:
        Path(args.out_csv).write_text(to_csv(flat_runs(args.combined)), encoding="utf-8")
    if args.out_decomposition:
        table = to_csv(decompositions(args.combined))
        Path(args.out_decomposition).write_text(table, encoding="utf-8")
    if args.out_frame:
        from evaluation.frames.sweeps import write_runs

        write_runs(flat_runs(args.combined), args.out_frame)
    return 0


def _collect(args: argparse.Namespace) -> int:
    lines = collect(args.root, latest_only=args.latest_only)
    Path(args.out_csv).write_text(to_csv(lines), encoding="utf-8")
    if args.out_frame:
        from evaluation.frames.sweeps import write_summaries

        write_summaries(lines, args.out_frame)
    print(f"{number_of(len(lines), 'sweep')} written to {args.out_csv}")
    return 0


def _list(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _numbers(text: str) -> list[int]:
    try:
        return [int(item) for item in _list(text)]
    except ValueError as error:
        raise BenchmarkError(f"{text!r} is not a list of whole numbers, by comma") from error
