"""`goldevidencebench convert`: convert another tool's output to a predictions file."""

from __future__ import annotations

import argparse
import sys

from evaluation.core import jsonl
from evaluation.core.files.documents import beside
from evaluation.core.terminal.output import print_json
from evaluation.core.terminal.wording import number_of

HELP = "Convert an Inspect log, lm-eval samples, a batch output, a CSV or a Parquet file to predictions."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        help="log of Inspect (JSON, or .eval with inspect_ai), samples_*.jsonl of lm-eval, OpenAI or Anthropic "
        "batch output, CSV or Parquet with a column id",
    )
    parser.add_argument(
        "--data", required=True, metavar="ROWS", help="the version's rows (JSON lines, may be gzip)"
    )
    beside.add_option(parser)
    parser.add_argument("--out", required=True, metavar="P", help="the predictions file to write")


def run(args: argparse.Namespace) -> int:
    from evaluation.foreign import convert

    made = convert(args.file, args.data, args.documents)
    jsonl.write(args.out, made.lines, sources=[args.file, args.data])
    if args.json:
        found = {"tool": made.tool, "model": made.model, "settings": made.settings, "lines": len(made.lines)}
        found |= {
            "left_out": made.left_out,
            "missing": made.missing,
            "tokens_per_query": made.tokens_per_query,
        }
        print_json(found)
        return 0
    print(
        f"{args.out}: {number_of(len(made.lines), 'prediction')} from {made.tool}"
        + (f", {made.model}" if made.model else "")
    )
    for why, count in made.left_out.items():
        print(f"left out: {count:,} {why}", file=sys.stderr)
    if made.missing:
        print(f"{number_of(made.missing, 'row')} without a reply", file=sys.stderr)
    if (tokens := made.tokens_per_query) is not None:
        print(
            f"{tokens:,.0f} tokens per question: submit with --tokens-per-query {tokens:.1f}", file=sys.stderr
        )
    return 0
