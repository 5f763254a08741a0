"""Grade the answers of a run of `model`, and sum up their cost. Each suite grades its own rows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from evaluation.adapters.base import Usage
from evaluation.adapters.kinds import RowKind
from evaluation.adapters.run_files import JOURNAL_SUFFIX
from evaluation.core import jsonl
from evaluation.core.errors import SettingsError
from evaluation.core.statistics.efficiency import Costed, curve, figures
from evaluation.core.terminal.tables import show_costs

#: Suite -> the module that grades its predictions. Rows of other suites are graded by `grade --suite`.
MODULES = {
    "goldevidence": "evaluation.goldevidence.cli.grade",
    "statebench": "evaluation.statebench.cli.grade",
}
#: Options of one suite's grading (`THEIR_SUITE`) -> their defaults.
OPTIONS = {"citations": "auto", "support_metric": "f1", "max_support_k": None, "entailment_check": True}
THEIR_SUITE = "goldevidence"
#: Part of `--results-json` for a run that is not graded.
NOTHING: dict[str, Any] = {"metrics": None, "metrics_raw": None, "artifact_stats": []}


def add_options(parser: argparse.ArgumentParser) -> None:
    grading = parser.add_argument_group("grading, if the rows have gold")
    grading.add_argument("--rubric", help="see `grade --help`")
    grading.add_argument("--citations", choices=("auto", "on", "off"), help="see `grade --help`")
    grading.add_argument("--support-metric", choices=("f1", "exact"), help="see `grade --help`")
    grading.add_argument("--max-support-k", type=int, metavar="N", help="see `grade --help`")
    grading.add_argument(
        "--entailment-check", action=argparse.BooleanOptionalAction, help="see `grade --help`"
    )


def check_options(args: argparse.Namespace, kind: RowKind) -> None:
    """Refuse options that do not apply to rows of this kind, and fill in defaults. Raises SettingsError."""
    given = [name for name in OPTIONS if getattr(args, name) is not None]
    if given and kind.name != THEIR_SUITE:
        raise SettingsError(
            {
                name: [f"applies only to rows of {THEIR_SUITE}; these are rows of {kind.name}."]
                for name in given
            }
        )
    for name, default in OPTIONS.items():
        if getattr(args, name) is None:
            setattr(args, name, default)
    args.no_entailment = False
    if args.rubric is None and kind.name in MODULES:
        args.rubric = import_module(MODULES[kind.name]).DEFAULT_RUBRIC


def graded(args: argparse.Namespace, kind: RowKind, out: Path, words: Mapping[str, int]) -> dict[str, Any]:
    """Grade complete predictions. Print and return metrics, costs and an efficiency curve over tokens per row.

    `words`: row id -> number of words, used if no tokens were counted. Returns `NOTHING` if the rows cannot be graded.
    """
    module: Any = import_module(MODULES[kind.name]) if kind.name in MODULES else None
    if module is None or not module.has_gold(next(jsonl.read(args.data), {})):
        why = "the rows have no gold" if module else f"to grade these rows, use `grade --suite {kind.name}`"
        print(f"{why}: nothing is graded", file=sys.stderr)
        return dict(NOTHING)
    spent = dict(_spent(out))
    only = spent.keys() if args.limit else None
    if only is not None and not module.TAKES_PART:
        print("--limit may leave out queries of a timeline: nothing is graded", file=sys.stderr)
        return dict(NOTHING)
    report, artifacts = module.grade(args.data, args.documents, str(out), args, only)
    tokens = {row_id: _tokens(usage) for row_id, usage in spent.items()}
    if not any(tokens.values()):
        tokens = dict(words)
    points = curve(
        Costed(tokens[row["id"]], {name: row.get(field) for name, field in module.RIGHT.items()})
        for row in report.rows
        if row["id"] in tokens
    )
    total = sum(spent.values(), Usage())
    costs = figures(
        sum(tokens.values()), total.passes or 1, total.wall_s, len(spent), total.prefill_s, total.decode_s
    )
    module.print_report(report, args)
    show_costs(costs, points)
    return NOTHING | {
        "config": dict(module.settings(args)),
        "metrics": (metrics := module.metrics(report)),
        "metrics_raw": metrics,  # answers are graded as they were given: nothing is clamped
        "efficiency": costs,
        "efficiency_curve": points,
        "artifact_stats": artifacts,
    }


def _spent(out: Path) -> Iterator[tuple[str, Usage]]:
    for entry in jsonl.read(out.with_name(out.name + JOURNAL_SUFFIX)):
        if "usage" in entry:
            yield entry["id"], Usage(**entry["usage"])


def _tokens(usage: Usage) -> int:
    return usage.prompt_tokens + usage.generated_tokens + usage.forced_tokens
