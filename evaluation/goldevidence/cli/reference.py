"""`goldevidencebench reference`: the published figures that need no language model, ours beside them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from evaluation.core.terminal.tables import show

if TYPE_CHECKING:
    from evaluation.goldevidence.experiments.reproduction import Comparison

HELP = "reproduce the published tables that need no language model; print ours beside them"
HEADINGS = ("", "published", "ours, reference data", "ours, our data", "why they differ")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reference-dir", help="the reference data (its `gold` folder, or what holds it)")
    parser.add_argument("--markdown", action="store_true", help="as Markdown, for docs/benchmarks.md")


def run(args: argparse.Namespace) -> int:
    """Print the tables. Exit code 1 where a figure does not reproduce on the reference's own data."""
    from evaluation.goldevidence.experiments.reproduction import compare

    comparisons = list(compare(args.reference_dir))
    if args.markdown:
        print(markdown(comparisons), end="")
    else:
        _print(comparisons)
    return int(any(comparison.reproduced is False for comparison in comparisons))


def markdown(comparisons: Iterable[Comparison]) -> str:
    """The tables as Markdown."""
    lines = []
    for table, members in groupby(comparisons, key=lambda comparison: comparison.table):
        lines += [f"### {table}", "", f"| {' | '.join(HEADINGS)} |", "|---|---|---|---|---|"]
        lines += [f"| {' | '.join(_cells(comparison))} |" for comparison in members]
        lines.append("")
    return "\n".join(lines)


def _print(comparisons: Iterable[Comparison]) -> None:
    for title, members in groupby(comparisons, key=lambda comparison: comparison.table):
        show(title, HEADINGS, map(_cells, members))


def _cells(comparison: Comparison) -> Iterator[str]:
    yield comparison.label
    for figures in (comparison.published, comparison.reference, comparison.own):
        yield "—" if figures is None else " / ".join(map(_figure, figures))
    yield why(comparison)


def _figure(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")


def why(comparison: Comparison) -> str:
    """Why ours is not the published figure; empty where it is."""
    if comparison.published is None:
        return "not published: which of two equal scores wins decides"
    if comparison.reproduced is False:
        return "does not reproduce on the reference's own data"
    if comparison.differs:
        count = comparison.questions
        return f"other episodes of the same settings; 1 of {count} questions is {_figure(1 / count)}"
    return ""
