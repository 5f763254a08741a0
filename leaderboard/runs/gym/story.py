"""The page on order bias: figures of its cause, its removal and its remains.

Two stories: of the language models that `make gym` trains, from the files it writes beside them, and of a
selector of the gym, which `python -m tests.benchmarks.gym.order --write` trains and measures.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

from evaluation.core.terminal.wording import number_of
from leaderboard.web.formatting import number

FILE = Path(__file__).with_name("order_bias.json")
MODELS = Path(__file__).parents[1] / "shipped" / "models"
#: Models of `make gym`: trained with the right line last only, and with any order and the mistakes of the first.
BIASED, UNMADE = "gym-last", "gym-order"
PLACES = 4


class Rate(TypedDict):
    rate: float
    low: NotRequired[float]
    high: NotRequired[float]


class Story(TypedDict):
    """Data of the three charts: the bias, the worst order during training, and the remaining bias."""

    title: str
    biased: list[Rate]  # by the place of the right line
    path: list[tuple[int, Rate]]  # (amount of training, rate in the worst order)
    path_unit: str
    unmade: list[Rate]  # by the place of the right line
    worst: tuple[float, float]  # before and after
    by: str  # what removes the bias
    below: tuple[str, str, str]
    command: str
    rows: int


def stories() -> list[Story]:
    return [story for story in (models_story(), selector_story()) if story]


@cache
def selector_story() -> Story:
    """The selector: trained with the right line last, then on its own mistakes."""
    known = json.loads(FILE.read_text(encoding="utf-8"))
    steps = known["steps"]
    return {
        "title": f"A selector of the gym, {known['who'].rpartition(' of ')[2]}",
        "biased": steps[0]["places"],
        "path": [(place, each["worst"]) for place, each in enumerate(steps)],
        "path_unit": "rounds of training",
        "unmade": steps[-1]["places"],
        "worst": (steps[0]["worst"]["rate"], steps[-1]["worst"]["rate"]),
        "by": f"{number_of(steps[-1]['mistakes'], 'mistake')} of its own",
        "below": (
            f"{known['who']}, trained on {known['biased_by']} tasks whose right line stood last.",
            f"Each round draws {known['tasks']} tasks with shuffled lines and adds those that it gets wrong to its "
            f"training data. The first {known['biased_by']} stay.",
            "The same learner after its last round, over the same rows.",
        ),
        "command": known["command"],
        "rows": known["rows"],
    }


@cache
def models_story() -> Story | None:
    """The two language models of `make gym`; None if a file is missing."""
    try:
        biased, unmade = (_model(name) for name in (BIASED, UNMADE))
    except FileNotFoundError:
        return None
    return {
        "title": "Language models trained here",
        "biased": _by_place(biased),
        "path": [(each["steps"], {"rate": each["worst"]}) for each in unmade["curve"]],
        "path_unit": "steps of training",
        "unmade": _by_place(unmade),
        "worst": (biased["judged"]["worst"], unmade["judged"]["worst"]),
        "by": "A new start, prompts in any order and the mistakes of the first model",
        "below": (
            f"{biased['title']}. {biased['about']}",
            f"{unmade['title']}. {unmade['about']}",
            f"{unmade['title']}, over as many rows as the first.",
        ),
        "command": "make gym",
        "rows": unmade["judged"]["rows"],
    }


def _model(name: str) -> dict[str, Any]:
    return cast(dict[str, Any], json.loads((MODELS / f"{name}.json").read_text(encoding="utf-8")))


def _by_place(model: dict[str, Any]) -> list[Rate]:
    """Mean rate per position, over the orders of the other lines (equal numbers of rows)."""
    orders: dict[str, float] = model["judged"]["orders"]
    found: list[Rate] = []
    for place in range(1, PLACES + 1):
        rates = [rate for name, rate in orders.items() if f"-gold_at_{place}-" in name]
        found.append({"rate": sum(rates) / len(rates)})
    return found


def findings(story: Story) -> tuple[str, str, str]:
    elsewhere = max(place["rate"] for place in story["biased"][:-1])
    made = (
        f"Made: {number(story['biased'][-1]['rate'])} right where the right line stands last, "
        f"at most {number(elsewhere)} elsewhere."
    )
    goes = (
        f"{story['by']} take the worst order from {number(story['worst'][0])} to {number(story['worst'][1])}."
    )
    return made, goes, _left(story["unmade"])


def _left(places: list[Rate]) -> str:
    best, least = (choose(places, key=lambda each: each["rate"]) for choose in (max, min))
    span = f"{number(least['rate'])} to {number(best['rate'])}"
    if "high" not in least or "low" not in best:
        return f"Left: {span}, by where the right line stands."
    if least["high"] < best["low"]:
        return f"Smaller, and still there: {span}, by where the right line stands."
    return f"Unmade: {span} wherever the right line stands, and no place is told from another."
