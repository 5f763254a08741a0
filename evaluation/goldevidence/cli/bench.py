"""`goldevidencebench bench`: runs the standard experiments on one system and compares the results with thresholds."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from evaluation import adapters
from evaluation.adapters import ADAPTERS
from evaluation.adapters.environment.reference import outside_grid, variable_of
from evaluation.adapters.environment.typed import with_our_names, with_settings
from evaluation.adapters.pairs import parse_pairs
from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal.arguments import positive
from evaluation.core.terminal.output import print_json
from evaluation.core.terminal.tables import show
from evaluation.core.terminal.typed import Typed, is_typed, values_of
from evaluation.goldevidence.cli import words
from evaluation.goldevidence.cli.sweep.running import add_run_options, ended, watching
from evaluation.goldevidence.experiments.bench import BARS, PARTS, SIZES, Bench, run_bench
from evaluation.goldevidence.experiments.bench.bars import with_thresholds
from evaluation.goldevidence.experiments.bench.report import bars_table, write_report
from evaluation.goldevidence.experiments.bench.running import grids
from evaluation.goldevidence.experiments.sweep import Contestant
from evaluation.goldevidence.experiments.sweep.contestants import adapters_with
from evaluation.goldevidence.experiments.sweep.estimate import estimated

HELP = "Run the standard sweeps and curves over one system, and report against thresholds."
FAILED = 1  # exit code


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="FILE", help="a GGUF file; with --server the name of its model")
    parser.add_argument("--server", metavar="URL", help="base URL of a server that speaks the OpenAI API")
    parser.add_argument("--system", help="name of a deterministic system, instead of a model")
    names = ", ".join(adapters.ADAPTERS)
    parser.add_argument("--adapter", help=f"another adapter: one of {names}, or module:factory of your own")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the adapter"
    )
    parser.add_argument("--out", default="bench", help="output folder (default bench)")
    sizes = ", ".join(f"{name} {size.name}" for name, size in SIZES.items())
    parser.add_argument("--preset", choices=SIZES, default="standard", help=f"number of questions: {sizes}")
    parser.add_argument(
        "--seeds",
        type=positive,
        metavar="N",
        help="number of seeds (default: the preset's); more give narrower intervals",
    )
    parser.add_argument(
        "--parts", default="", help=f"parts to run, from {', '.join(PARTS)} (default: all that fit)"
    )
    parser.add_argument(
        "--bar",
        action="append",
        default=[],
        metavar="NAME=SHARE",
        help=f"replace the default threshold of one of {', '.join(bar.name for bar in BARS)}",
    )
    parser.add_argument("--estimate", action="store_true", help="print the estimated duration and stop")
    add_run_options(parser)


def translate_arguments(typed: Typed, environment: Mapping[str, str]) -> Typed:
    """Complete the arguments after `bench` from the environment. Raises UnknownNameError or AdapterError."""
    typed = with_our_names(typed)
    words, variable = typed.words, variable_of("model")
    if is_typed(words, "--system"):
        return typed
    model = environment.get(variable, "")
    if model and not is_typed(words, "--adapter"):
        chosen = is_typed(words, "--model") or any(
            pair.startswith("model=") for pair in values_of(words, "--set")
        )
        typed.words = typed.take(variable, model, ["--model", model], typed=chosen) + words
    adapters = values_of(words, "--adapter") or [
        "openai_compatible" if is_typed(words, "--server") else "llama_cpp"
    ]
    return with_settings(typed, adapters, ADAPTERS, typed.others(outside_grid(environment)))


def run(args: argparse.Namespace) -> int:
    """Run a bench. Exit code: 0 if all thresholds are reached, 1 if one is missed, 3 if paused, 130 if interrupted."""
    who, size, out = _system(args), SIZES[args.preset], Path(args.out)
    size = size._replace(seeds=args.seeds or size.seeds)
    parts = words(args.parts)
    if strangers := [name for name in parts if name not in PARTS]:
        raise BenchmarkError(f"no part is called {strangers[0]!r}; the parts are {', '.join(PARTS)}")
    bars = with_thresholds(parse_pairs(args.bar))
    chosen = grids(who, size, parts)
    if args.estimate:
        estimates = {name: estimated(grid) for name, grid in chosen.items()}
        for name, found in estimates.items():
            print("\n".join(f"{name}: {sentence}" for sentence in found.sentences()))
        if args.json:
            print_json({name: found.as_dict() for name, found in estimates.items()})
        return 0
    with watching(args, "bench", sum(map(len, chosen.values()))) as (hooks, options):
        bench = run_bench(who, size, out, hooks, parts=list(chosen), bars=bars, **options)
    page = write_report(bench, out)
    table = bars_table(bench.judged)
    show(f"Bars of {bench.system}, {size.name}", table.headings, table.rows)
    print(f"report written to {page}")
    if args.json:
        judged = [each.as_json() for each in bench.judged]
        print_json({"out": str(out), "system": bench.system, "size": bench.size.name, "bars": judged})
    return _code(bench, out)


def _system(args: argparse.Namespace) -> Contestant:
    """Return the system named by the options. Raises BenchmarkError if no system or several systems are named."""
    settings = parse_pairs(args.set)
    named = [name for name in ("system", "server", "adapter") if getattr(args, name)]
    if len(named) > 1 or (args.system and args.model):
        raise BenchmarkError(
            "name one system: --model (with --server if a server runs it), --system or --adapter"
        )
    if args.system:
        return Contestant.system(args.system)
    if args.server:
        settings |= {"base_url": args.server} | ({"model": args.model} if args.model else {})
        return adapters_with(["openai_compatible"], settings, {})[0]
    if args.model:
        settings["model"] = args.model
    if args.model or args.adapter:
        return adapters_with([args.adapter or "llama_cpp"], settings, {})[0]
    raise BenchmarkError("name a system: --model FILE.gguf, --server URL, --system NAME or --adapter NAME")


def _code(bench: Bench, out: Path) -> int:
    if bench.unfinished is not None:
        return ended(bench.unfinished, out)
    return FAILED if bench.missed else 0
