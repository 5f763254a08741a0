"""`goldevidencebench transcript`: show the prompt and the reply for one row of a run."""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

from evaluation.adapters import load_adapter
from evaluation.adapters.base import PROTOCOLS
from evaluation.adapters.kinds import RowKind, kind_of
from evaluation.adapters.pairs import parse_pairs
from evaluation.adapters.run_files import begun_by
from evaluation.adapters.transcripts.files import read_transcripts, run_named, transcripts_of
from evaluation.adapters.transcripts.prompts import Prompt, PromptError, rebuilt_prompt
from evaluation.adapters.transcripts.record import TranscriptLine
from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.files.artifacts import read_artifacts
from evaluation.core.files.documents import beside
from evaluation.core.records import Row
from evaluation.core.terminal.output import print_error, print_json

HELP = "Show the prompt and the reply of a model for one row of a run."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", required=True, metavar="D", help="rows or timelines of the run (JSON lines)"
    )
    beside.add_option(parser)
    parser.add_argument(
        "--run",
        required=True,
        metavar="P",
        dest="of_run",
        help="predictions file of the run, or its folder",
    )
    parser.add_argument(
        "--id",
        required=True,
        metavar="ID",
        help="id of the row; TIMELINE#0 for the first query of a timeline",
    )
    parser.add_argument("--adapter", help="adapter of the run, if its journal is missing")
    parser.add_argument(
        "--protocol", choices=PROTOCOLS, help="protocol of the run, if its journal is missing"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting that overrides the run's, such as model=FILE",
    )


def run(args: argparse.Namespace) -> int:
    """Returns exit code 0 if prompt and reply are shown, 1 if the prompt cannot be rebuilt."""
    path = transcripts_of(args.of_run)
    line = read_transcripts(path, {args.id}).get(args.id)
    if line is None:
        raise BenchmarkError(f"{path}: no transcript of row {args.id!r}")
    why = ""
    try:
        prompt = _prompt(args, path, line)
    except PromptError as error:
        prompt, why = None, str(error)
    if args.json:
        turns = {"system": prompt.system, "user": prompt.user} if prompt else None
        print_json({"prompt": turns, **line})
    else:
        _print(line, prompt, why)
    return 0 if prompt else 1


def _prompt(args: argparse.Namespace, path: Path, line: TranscriptLine) -> Prompt:
    """Rebuild the prompt. If this fails without the run's model, the model is loaded."""
    question, kind = _question(args)
    predictions = run_named(path)
    begun = begun_by(predictions)
    name = args.adapter or begun.get("adapter")
    if not name:
        raise BenchmarkError(
            f"{path}: the journal of the run is missing: give --adapter, and its settings by --set"
        )
    settings = {**begun.get("settings", {}), **parse_pairs(args.set)}
    make = partial(
        rebuilt_prompt,
        question,
        load=partial(load_adapter, name, settings, kind.adapters),
        kind=kind,
        protocol=args.protocol or begun.get("protocol"),
        expected_sha256=line["prompt_sha256"],
        artifacts=read_artifacts(predictions) if predictions.exists() else {},
    )
    try:
        return make()
    except PromptError:
        if not Path(str(settings.get("model", ""))).is_file():
            raise
        return make(with_model=True)


def _question(args: argparse.Namespace) -> tuple[Row, RowKind]:
    first = next(beside.read(jsonl.read_again(args.data), args.documents), None)
    if first is None:
        raise BenchmarkError(f"{args.data}: no rows")
    kind = kind_of(first)
    rows: Any = beside.read(args.data, args.documents)
    found = next((row for row in kind.questions(rows) if row["id"] == args.id), None)
    if found is None:
        raise BenchmarkError(f"{args.data}: no row {args.id!r}")
    return found, kind


def _print(line: TranscriptLine, prompt: Prompt | None, why: str) -> None:
    counts = ", ".join(
        f"{count:,} {name}" for name, count in line["tokens"].items() if isinstance(count, int)
    )
    facts = {
        "row": line["id"],
        "state": line["state"].replace("_", " "),
        "finish reason": line["finish_reason"],
        "tokens": counts,
        "latency": f"{line['latency_ms']:,.0f} ms" if line["latency_ms"] is not None else "",
        "model": " · ".join(filter(None, (line["model"], line["fingerprint"]))),
        "prompt SHA-256": line["prompt_sha256"],
        "problem": line.get("problem", ""),
        "cut here": ", ".join(line.get("cut", [])),
    }
    for label, value in facts.items():
        if value:
            print(f"{label}: {value}")
    parts = {"system": prompt.system, "user": prompt.user} if prompt else {}
    thought = line.get("reasoning") or (
        f"({line['reasoning_chars']:,} characters)" if line["reasoning_chars"] else ""
    )
    parts |= {"reasoning": thought} if thought else {}
    parts |= {"reply": line["reply"]}
    if "prediction" in line:
        parts["prediction"] = json.dumps(line["prediction"], ensure_ascii=False)
    for label, text in parts.items():
        print(f"\n--- {label} ---\n{text}")
    if why:
        print_error(f"\nThe prompt is not shown: {why}.")
