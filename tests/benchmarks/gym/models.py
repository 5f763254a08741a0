"""Accuracy of the models of `make gym`, run by llama.cpp as for the boards.

`python -m tests.benchmarks.gym.models`, over fresh seeds of two presets. Models of another folder are compared with
those that are shipped. `--write` puts table and curves into docs/gym.md, and the models where shipped runs find them:
all their runs must then be made again (`make demo-models`).
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, cast

from scipy.stats import binomtest

from evaluation import gym
from evaluation.adapters import load_adapter
from evaluation.goldevidence.presets import get_preset
from evaluation.goldevidence.suite import SUITE
from evaluation.gym.families import SELECT
from evaluation.gym.models.boards import seeds
from evaluation.gym.models.recipes import RECIPES

ROOT = Path(__file__).parents[3]
DOCS, SHIPPED = ROOT / "docs", ROOT / "leaderboard/runs/shipped/models"
SETTINGS = {"mode": "select", "prompt": "ruled@1", "calibrate": False, "truncation": "none", "threads": 1}
PRESETS = ("order_bias_short", "authority_short")
SEEDS = 5
TASKS, TASKS_SEED, FOUR_LINES = 100, 2**41, {"k": 1 / 7}  # of each family of selection, for `--families`
MARKS = re.compile(r"(<!-- gym models -->\n).*(<!-- end of gym models -->)", re.DOTALL)
HEAD = (
    "| model | taught | order board: worst order [95%] | best order | authority board: right line, or none of them "
    "rightly | says none where a line answers | steps | training | rows/s |\n|---|---|---|---|---|---|---|---|---|"
)
COLOURS = ("#c0392b", "#1b6ca8", "#888", "#2e8b57", "#b8860b")


def rows_of(preset: str, own: Sequence[int]) -> list[Any]:
    """The candidate rows of a preset, over other seeds."""
    settings = get_preset(preset).as_json() | {"seeds": list(own)}
    made = SUITE.version(settings).generate()
    return [row for item in made for row in item.rows if "candidates" in row]


def judged(path: Path, rows: Sequence[Any]) -> dict[str, Any]:
    """The rate of right choices under each condition, the rate of "none" answers, and rows per second."""
    adapter = load_adapter("llama_cpp", {**SETTINGS, "model": str(path)})
    rights: dict[str, list[bool]] = {}
    adapter.predict(rows[0], protocol="closed_book")  # loads the model
    silent, started = 0, time.process_time()
    for row in rows:
        output = adapter.predict(row, protocol="closed_book")
        chosen, shown = output["support_ids"], row["gold"]["present"]
        rights.setdefault(row["meta"]["condition"], []).append(
            chosen == (row["gold"]["support_ids"] if shown else [])
        )
        silent += shown and not chosen
    seconds = time.process_time() - started
    adapter.close()
    rates = {name: sum(each) / len(each) for name, each in rights.items()}
    worst = min(rates, key=rates.__getitem__)
    return {
        "rates": rates,
        "worst": rates[worst],
        "interval": binomtest(sum(rights[worst]), len(rights[worst])).proportion_ci(method="wilson"),
        "best": max(rates.values()),
        "all": sum(map(sum, rights.values())) / len(rows),
        "none": silent / sum(row["gold"]["present"] for row in rows),
        "rows_s": len(rows) / seconds,
    }


def line(name: str, told: Mapping[str, Any], found: Mapping[str, Mapping[str, Any]]) -> str:
    """A line of the table."""
    order, authority = (found[preset] for preset in PRESETS)
    low, high = order["interval"]
    return (
        f"| `{name}` | {told['about']} | {order['worst']:.1%} [{100 * low:.1f}, {100 * high:.1f}] "
        f"| {order['best']:.1%} | {authority['all']:.1%} | {authority['none']:.1%} | {told['curve'][-1]['steps']:,} "
        f"| {told['seconds']:.0f} s | {order['rows_s']:,.0f} |"
    )


def picture(told: Mapping[str, Mapping[str, Any]]) -> str:
    """The worst order by steps, a line a model, as SVG."""
    x0, y0, w, h = 46, 20, 520, 220
    most = max(each["curve"][-1]["steps"] for each in told.values())
    title = "How often the right line is chosen in the worst order, by steps of training"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {y0 + h + 34}" font-family="sans-serif" '
        f'font-size="11" role="img"><title>{title}</title><rect width="100%" height="100%" fill="#fff"/>'
    ]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = y0 + h * (1 - share)
        parts.append(f'<path d="M{x0} {y:.1f}h{w}" stroke="#ddd"/>')
        parts.append(f'<text x="{x0 - 6}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>')
    for steps in range(0, most + 1, 300):
        x = x0 + w * steps / most
        parts.append(f'<text x="{x:.1f}" y="{y0 + h + 18}" text-anchor="middle">{steps:,}</text>')
    for place, ((name, each), colour) in enumerate(zip(told.items(), COLOURS, strict=True)):
        points = " ".join(
            f"{x0 + w * point['steps'] / most:.1f},{y0 + h * (1 - point['worst']):.1f}"
            for point in each["curve"]
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(
            f'<path d="M{x0 + w + 14} {y0 + 8 + 20 * place}h18" stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(f'<text x="{x0 + w + 38}" y="{y0 + 12 + 20 * place}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


@cache
def figures(path: Path) -> dict[str, dict[str, Any]]:
    """The results of a model by preset, over the same unseen seeds for all models."""
    return {preset: judged(path, rows) for preset, rows in _unseen().items()}


@cache
def _unseen() -> dict[str, list[Any]]:
    own = list(islice(seeds("adapter"), SEEDS))
    return {preset: rows_of(preset, own) for preset in PRESETS}


def beside_shipped(path: Path) -> str:
    """The difference between a model's results and those of the shipped model of the same name."""
    shipped = SHIPPED / path.name
    if path.read_bytes() == shipped.read_bytes():
        return f"{path.stem}: the shipped file, byte for byte"
    order, authority = (
        [f"{figures(each)[preset][figure]:.1%}" for each in (path, shipped)]
        for preset, figure in zip(PRESETS, ("worst", "all"), strict=True)
    )
    return (
        f"{path.stem}: other weights than those shipped; worst order {order[0]} (shipped {order[1]}), "
        f"authority board {authority[0]} (shipped {authority[1]})"
    )


def by_family(path: Path, name: str) -> str:
    """How often a model chooses the right line among four of tasks of the gym, family by family.

    Args:
        path: The model's file.
        name: The model's name.
    """
    adapter, parts = load_adapter("llama_cpp", {**SETTINGS, "model": str(path)}), []
    for family in (each for each, known in gym.FAMILIES.items() if known.form == SELECT):
        chosen = [
            gym.score(
                task, cast(Any, adapter.predict(cast(Any, task.row), protocol="closed_book"))
            ).line_chosen
            for task in islice(gym.tasks(TASKS_SEED, FOUR_LINES, [family]), TASKS)
        ]
        parts.append(f"{family} {sum(filter(None, chosen)) / TASKS:.0%}")
    return f"{name}: {', '.join(parts)}"


def found_in(folder: Path) -> dict[str, dict[str, Any]]:
    """The training record of each model in a folder."""
    names = [name for name in RECIPES if (folder / f"{name}.gguf").exists()]
    return {name: json.loads((folder / f"{name}.json").read_text()) for name in names}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--folder", type=Path, default=SHIPPED, help="of the models; default: those that are shipped"
    )
    parser.add_argument(
        "--write", action="store_true", help="into docs/gym.md and docs/img, and ship the models"
    )
    parser.add_argument(
        "--families",
        action="store_true",
        help="instead: how often each chooses rightly in families of the gym",
    )
    args = parser.parse_args()
    folder, told = args.folder.resolve(), found_in(args.folder)
    if not told:
        parser.error(f"{folder} has no model: make gym trains them")
    if args.families:
        for name in told:
            print(by_family(folder / f"{name}.gguf", name), flush=True)
        return
    partly = [name for name in RECIPES if name not in told or told[name].get("share", 1) != 1]
    if args.write and partly:
        parser.error(f"{', '.join(partly)} in {folder}: not trained, or not wholly; nothing to ship")
    table = [HEAD]
    print(HEAD)
    for name, each in told.items():
        table.append(line(name, each, figures(folder / f"{name}.gguf")))
        print(table[-1], flush=True)
    for name in told if folder != SHIPPED else ():
        print(beside_shipped(folder / f"{name}.gguf"), flush=True)
    if not args.write:
        return
    page = DOCS / "gym.md"
    text = MARKS.sub(
        lambda match: f"{match[1]}{chr(10).join(table)}\n{match[2]}", page.read_text(encoding="utf-8")
    )
    page.write_text(text, encoding="utf-8")
    (DOCS / "img" / "gym-models.svg").write_text(picture(told), encoding="utf-8")
    if folder != SHIPPED:
        SHIPPED.mkdir(exist_ok=True)
        for name in RECIPES:
            for end in ("gguf", "json"):
                shutil.copyfile(folder / f"{name}.{end}", SHIPPED / f"{name}.{end}")


if __name__ == "__main__":
    main()
