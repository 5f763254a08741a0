"""Data of the page on order bias: a system prefers lines at some positions in the list of candidates.

There are two stories. One is of language models that `make gym` trains. The other is of a small learner (a selector)
that `python -m tests.benchmarks.gym.order --write` trains and measures.
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
#: Models of `make gym`: one trained with the right line last, one with any order and the mistakes of the first.
BIASED, UNMADE = "gym-last", "gym-order"
PLACES = 4


class Rate(TypedDict):
    rate: float
    low: NotRequired[float]
    high: NotRequired[float]


class Story(TypedDict):
    """Data of three charts on order bias: before, during and after the training that removes it."""

    title: str
    biased: list[Rate]  # by the position of the right line
    path: list[tuple[int, Rate]]  # (amount of training, rate in the worst order)
    path_unit: str
    unmade: list[Rate]  # by the position of the right line
    worst: tuple[float, float]  # before and after
    by: str  # what reduces the bias, with a singular verb after it
    below: tuple[str, str, str]
    command: str
    rows: int


def stories() -> list[Story]:
    return [story for story in (models_story(), selector_story()) if story]


@cache
def selector_story() -> Story:
    """Data of the charts for a small learner (a selector), first trained into order bias and then out of it."""
    known = json.loads(FILE.read_text(encoding="utf-8"))
    steps = known["steps"]
    return {
        "title": f"A selector of the gym, {known['who'].rpartition(' of ')[2]}",
        "biased": steps[0]["places"],
        "path": [(place, each["worst"]) for place, each in enumerate(steps)],
        "path_unit": "rounds of training",
        "unmade": steps[-1]["places"],
        "worst": (steps[0]["worst"]["rate"], steps[-1]["worst"]["rate"]),
        "by": f"training on {number_of(steps[-1]['mistakes'], 'mistake')} of its own",
        "below": (
            f"{known['who']}, trained on {known['biased_by']} tasks with the right line last.",
            f"Each round draws {known['tasks']} tasks with shuffled lines and adds those answered wrong to the "
            f"training data. The first {known['biased_by']} tasks stay.",
            "The same learner after its last round, on the same rows.",
        ),
        "command": known["command"],
        "rows": known["rows"],
    }


@cache
def models_story() -> Story | None:
    """Data of the charts for the two language models of `make gym`; None if a file is missing."""
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
        "by": "training from scratch, on prompts in any order and then on the mistakes of the first model,",
        "below": (
            f"The model “{biased['title']}”, trained on prompts whose right line is the last one.",
            f"The model “{unmade['title']}”, trained from scratch on prompts in any order, then on rows that "
            f"“{biased['title']}” gets wrong.",
            f"“{unmade['title']}” after its training, measured on as many rows as “{biased['title']}”.",
        ),
        "command": "make gym",
        "rows": unmade["judged"]["rows"],
    }


def _model(name: str) -> dict[str, Any]:
    return cast(dict[str, Any], json.loads((MODELS / f"{name}.json").read_text(encoding="utf-8")))


def _by_place(model: dict[str, Any]) -> list[Rate]:
    orders: dict[str, float] = model["judged"]["orders"]
    found: list[Rate] = []
    for place in range(1, PLACES + 1):
        rates = [rate for name, rate in orders.items() if f"-gold_at_{place}-" in name]
        found.append({"rate": sum(rates) / len(rates)})
    return found


def findings(story: Story) -> tuple[str, str, str]:
    elsewhere = max(place["rate"] for place in story["biased"][:-1])
    made = (
        f"Order bias taught: {number(story['biased'][-1]['rate'])} right if the right line is last, "
        f"at most {number(elsewhere)} at other positions."
    )
    goes = (
        f"Order bias reduced: {story['by']} raises the accuracy in the worst order from "
        f"{number(story['worst'][0])} to {number(story['worst'][1])}."
    )
    return made, goes, _left(story["unmade"])


def _left(places: list[Rate]) -> str:
    best, least = (choose(places, key=lambda each: each["rate"]) for choose in (max, min))
    span = f"{number(least['rate'])} to {number(best['rate'])}"
    if "high" not in least or "low" not in best:
        return f"Afterwards: {span} right, depending on the position of the right line."
    if least["high"] < best["low"]:
        return f"A smaller order bias remains: {span} right, depending on the position of the right line."
    return f"No order bias is shown any more: {span} right by position, without significant differences."
