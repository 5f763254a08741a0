"""What each saving of the llama.cpp adapter is worth, against the plain sequential way.

    python -m tests.benchmarks.llama [--model FILE.gguf] [--episodes N] [--queries N] [--steps N]

Without --model a random model of about 22 million parameters is made; its words are noise and its speed is
real. One thread and its CPU seconds, so that a busy machine does not blur them. `same` counts the rows
answered like the first way of the same form: a forced skeleton stands in the model's usual tokens, a sampled
one in any.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from evaluation.adapters import load_adapter
from evaluation.adapters.base import Row
from evaluation.adapters.runner import RowResult, run
from evaluation.goldevidence.adapters.episode_rows import KIND
from evaluation.goldevidence.conditions.conditions import Condition, condition_rows
from evaluation.goldevidence.data.ledger import parse_book
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.episodes import generate_units
from tests.tiny_gguf import write_tiny_gguf

PLAIN = {"parallel": 1, "reuse_prefix": False, "force_skeleton": False}
WAYS: dict[str, dict[str, Any]] = {
    "plain: each prompt whole, every token sampled": PLAIN,
    "+ prefix reuse": PLAIN | {"reuse_prefix": True},
    "+ forced skeleton": {"parallel": 1},
    "+ 4 sequences (default)": {"parallel": 4},
    "+ 8 sequences": {"parallel": 8},
}
CONDITION_WAYS = WAYS | {"select: score ids, decode nothing": {"mode": "select"}}


def main() -> None:
    """Print a table for whole books and one for candidate conditions."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model")
    parser.add_argument("--episodes", type=int, default=2)
    parser.add_argument("--queries", type=int, default=8)
    parser.add_argument("--steps", type=int, default=16)
    args = parser.parse_args()
    config = GeneratorConfig(
        episodes=args.episodes, steps=args.steps, queries=args.queries, keys=6, chapters=2, twins=False
    )
    rows = [row for unit in generate_units(config, 0) for row in unit.rows]
    with tempfile.TemporaryDirectory() as folder:
        model = args.model or str(write_tiny_gguf(Path(folder) / "bench.gguf", width=1024, layers=2))
        compare(f"{len(rows)} questions about {args.episodes} whole books", model, rows, WAYS)
        shown = condition_rows(rows, parse_book(rows[0]["book"]), [Condition(name="k8", k=8)], 0)
        compare("condition rows of k=8 candidates", model, list(shown), CONDITION_WAYS)


def compare(title: str, model: str, rows: list[Row], ways: dict[str, dict[str, Any]]) -> None:
    """Run the rows in every way and print what each costs."""
    columns = f"{'tokens':>9}{'ratio':>8}{'sampled':>9}{'passes':>8}{'cpu s':>8}{'ratio':>8}{'same':>8}"
    print(f"\n{title}\n{'':48}{columns}")
    plain: tuple[int, float] | None = None
    first: dict[object, list[Row]] = {}
    for name, settings in ways.items():
        results, seconds = answered(model, rows, settings)
        evaluated = sum(result.usage.evaluated_tokens for result in results)
        sampled = sum(result.usage.generated_tokens for result in results)
        passes = sum(result.usage.passes for result in results)
        answers = [result.prediction for result in results]
        plain = plain or (evaluated, seconds)
        like = first.setdefault((settings.get("force_skeleton"), settings.get("mode")), answers)
        same = sum(one == other for one, other in zip(answers, like, strict=True))
        print(
            f"{name:48}{evaluated:9}{plain[0] / evaluated:8.1f}{sampled:9}{passes:8}{seconds:8.2f}"
            f"{plain[1] / seconds:8.1f}{same:5}/{len(rows)}"
        )


def answered(model: str, rows: list[Row], settings: dict[str, Any]) -> tuple[list[RowResult], float]:
    """The results in row order, and the CPU seconds of the run (the model's loading left out)."""
    adapter = load_adapter(
        "llama_cpp", {"model": model, "context": 32768, "max_value_chars": 12, "threads": 1, **settings}
    )
    results: list[RowResult] = []
    started = time.process_time()
    run(rows, adapter, protocol="closed_book", kind=KIND, on_row=results.append)
    seconds = time.process_time() - started
    adapter.close()
    return sorted(results, key=lambda result: result.prediction["id"]), seconds


if __name__ == "__main__":
    main()
