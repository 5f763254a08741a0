"""The end of a run of `goldevidencebench model`: printed summary and `--results-json`."""

from __future__ import annotations

import argparse
import hashlib
import json
import shlex
import sys
from collections.abc import Mapping
from typing import Any

from evaluation.adapters.environment.provenance import about, run_environment
from evaluation.adapters.pairs import parse_pairs
from evaluation.adapters.run_files import RunFiles
from evaluation.adapters.runner import RunSummary, efficiency
from evaluation.adapters.transcripts.record import Keep
from evaluation.core import jsonl
from evaluation.core.row_states import advice, counted, sentence, unanswered
from evaluation.core.secrets import without_secrets
from evaluation.core.terminal.output import print_error
from evaluation.core.terminal.wording import number_of

MOST_SAID = 200  # characters of an unreadable reply
#: Names of a mean in the results of a run and of a sweep; both are written.
SAME = {"tokens_per_query": "tokens_per_q", "wall_s_per_query": "wall_s_per_q"}


def digest(path: str) -> str:
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def print_summary(summary: RunSummary, files: RunFiles) -> None:
    """Print the number of rows by state, and the cost. Both include earlier attempts."""
    done = summary.asked + summary.skipped
    costs = efficiency(summary.usage + files.usage, done)
    state = "paused" if summary.paused else "stopped" if summary.cancelled else "done"
    print(
        f"{state}: {done} of {number_of(summary.total, 'row')} asked, {summary.skipped} of them in earlier attempts"
    )
    print(counted(summary.states))
    if doubted := summary.doubted + files.doubted:
        print(f"{number_of(doubted, 'answer')} may answer only part of the prompt (`doubt` in the journal)")
    print(
        f"{costs.get('tokens_per_query', 0):.0f} tokens/query, {costs.get('wall_s_per_query', 0):.3f} s/query"
        + (f", cost {costs['cost']:.4g}" if "cost" in costs else "")
    )


def print_unanswered(summary: RunSummary) -> None:
    lines = [sentence(summary.states), *advice(summary.states)]
    row_id, reply = summary.first_unread
    if row_id:
        said = " ".join(reply.split())[:MOST_SAID]
        lines.append(f"First unreadable reply, to {row_id}: {said}")
    print("\n".join(line for line in lines if line), file=sys.stderr)


def results_of(
    summary: RunSummary, files: RunFiles, args: argparse.Namespace, graded: Mapping[str, Any]
) -> dict[str, Any]:
    """The document of `--json` and `--results-json`. `graded`: from `model_grading.graded`, or `NOTHING`."""
    done = summary.asked + summary.skipped
    costs = {**graded.get("efficiency", {}), **efficiency(summary.usage + files.usage, done)}
    for ours, theirs in SAME.items():
        costs[ours] = costs.get(theirs, costs.get(ours))
    return {
        "adapter_schema_version": "1.0",
        "adapter": args.adapter,
        "protocol": args.protocol,
        "data": {"path": args.data, "n": summary.total},
        "data_sha256": digest(args.data),
        "rows": summary.total,
        "asked": done,
        "answered": done - unanswered(summary.states),
        "asked_again": files.asked_again,
        "row_states": dict(summary.states),
        "doubtful_answers": summary.doubted + files.doubted,
        "cancelled": summary.cancelled,
        "paused": summary.paused,
        "seconds": summary.seconds,
        "env": run_environment(),
        **graded,
        "efficiency": {name: value for name, value in costs.items() if value is not None},
        "provenance": summary.provenance | about(_command(args)),
    }


def write_results(results: Mapping[str, Any], args: argparse.Namespace) -> None:
    with jsonl.fresh(args.results_json, sources=[args.data, *([args.out] if args.out else [])]) as out:
        out.write(f"{json.dumps(results, indent=2)}\n".encode())


def print_pause(summary: RunSummary) -> None:
    lines = [summary.pause_reason, sentence(summary.states), *advice(summary.states)]
    lines += [
        "Answers so far are saved. Fix the cause and add --resume: rows with no answer or a doubtful answer are asked "
        "again. If you change settings, use a new file. With --resume --go-on these rows are not asked again (missing "
        "answers count as wrong), and the run does not pause."
    ]
    print_error("\n".join(line for line in lines if line))


def _command(args: argparse.Namespace) -> str:
    words = ["goldevidencebench", "model", "--adapter", args.adapter, "--data", args.data]
    words += ["--out", args.out] if args.out else []
    words += ["--documents", args.documents] if args.documents else []
    words += ["--protocol", args.protocol]
    for name, value in without_secrets(parse_pairs(args.set)).items():
        words += ["--set", f"{name}={value}"]
    words += ["--go-on"] if args.go_on else []
    words += ["--transcripts", args.transcripts] if args.transcripts != Keep.FULL else []
    for name in ("limit", "max_book_tokens"):
        if value := getattr(args, name):
            words += [f"--{name.replace('_', '-')}", str(value)]
    return shlex.join(words)
