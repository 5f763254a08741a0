"""`goldevidencebench run`: answer rows with a deterministic system of their suite."""

from __future__ import annotations

import argparse

from evaluation.core import jsonl
from evaluation.core.terminal.commands import Runner


def run(args: argparse.Namespace) -> int:
    own: Runner = args.own
    for answering in own.answering(args):
        count = jsonl.write(answering.out, answering.predictions, sources=[args.data])
        answering.written(count)
    return 0
