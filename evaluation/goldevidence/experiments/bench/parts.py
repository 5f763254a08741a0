"""The parts of a bench. Each part is a grid of settings for one system, run in its own folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.perturb import PUBLISHED_ORDERS
from evaluation.goldevidence.experiments.sweep import Contestant, Grid
from evaluation.goldevidence.generator.config import GeneratorConfig

#: Rules that pick a line before a model answers; with `none` the model chooses.
SELECTORS = ("none", "latest_step", "prefer_update_latest", "linear")

BUDGETS = (100, 200, 400, 800, 1200)  # words; the reference's four, and half of the first


class Size(NamedTuple):
    """Number and length of the questions. In the reference's notation `s3q16` is three seeds with 16 questions each."""

    seeds: int
    queries: int
    steps: int  # lines of a log shown whole
    long: int  # lines of a log shown as a few candidates

    @property
    def name(self) -> str:
        return f"s{self.seeds}q{self.queries}"


#: The last two are the reference's: 100 steps and 240, s3q16 and s5q24.
SIZES = {
    "smoke": Size(2, 4, 24, 40),
    "quick": Size(2, 8, 60, 80),
    "standard": Size(3, 16, 100, 240),
    "full": Size(5, 24, 100, 240),
}


@dataclass(frozen=True)
class Part:
    """One experiment of a bench, with the x axis and the metrics of its chart."""

    name: str
    title: str
    help: str
    grid: Callable[[Sequence[Contestant], Size], Grid]
    axis: str
    metrics: tuple[str, ...]
    with_selectors: bool = False  # runs systems in which a rule picks a line for the model


def _config(size: Size, *, long: bool = False, twins: bool = False) -> GeneratorConfig:
    return GeneratorConfig(
        episodes=1,
        steps=size.long if long else size.steps,
        keys=10,
        queries=size.queries,
        chapters=6,
        derived_query_rate=0.0,
        twins=twins,
        distractor_profile="standard",
    )


def _candidates(size: Size) -> GeneratorConfig:
    return _config(size, long=True).having(
        distractor_rate=0.7, clear_rate=0.01, tail_distractor_steps=size.long // 3
    )


def _condition(k: int, order: str) -> Condition:
    return Condition.from_json({"k": k, "order": order})


def _standard(who: Sequence[Contestant], size: Size) -> Grid:
    return Grid(
        who,
        _config(size, twins=True),
        size.seeds,
        [size.steps],
        state_modes=("kv", "set"),
        distractor_profiles=("standard", "instruction"),
    )


def _length(who: Sequence[Contestant], size: Size) -> Grid:
    steps = [max(6, size.steps * share // 60) for share in (20, 40, 80, 160, 320)]
    return Grid(who, _config(size), size.seeds, steps)


def _budget(who: Sequence[Contestant], size: Size) -> Grid:
    return Grid(who, _config(size), size.seeds, [size.steps], max_book_tokens=BUDGETS)


def _path(who: Sequence[Contestant], size: Size) -> Grid:
    tails = [size.steps * share // 4 for share in (0, 1, 2, 3)]
    config = _config(size)
    return Grid(
        who,
        config,
        size.seeds,
        [size.steps],
        distractor_profiles=("instruction",),
        varied={"tail_distractor_steps": tails},
    )


def _k_curve(who: Sequence[Contestant], size: Size) -> Grid:
    conditions = [_condition(k, "shuffle") for k in (1, 2, 4, 8)]
    return Grid(who, _candidates(size), size.seeds, [size.long], conditions=conditions)


def _order(who: Sequence[Contestant], size: Size) -> Grid:
    conditions = [_condition(4, order) for order in PUBLISHED_ORDERS]
    return Grid(who, _candidates(size), size.seeds, [size.long], conditions=conditions)


def _authority(who: Sequence[Contestant], size: Size) -> Grid:
    return Grid(
        who,
        _config(size, long=True).having(note_rate=0.30),
        size.seeds,
        [size.long],
        state_modes=("kv_commentary",),
        conditions=[_condition(4, "shuffle")],
        authority_filter=(False, True),
    )


PARTS = {
    part.name: part
    for part in (
        Part(
            "standard",
            "Standard sweeps",
            "Questions over the whole book, in two state modes, with and without instructions in the text, with twins.",
            _standard,
            "distractor_profile",
            ("value_acc", "exact_acc"),
        ),
        Part(
            "length",
            "Length",
            "Questions over the whole book, for logs of five different lengths.",
            _length,
            "steps",
            ("value_acc",),
        ),
        Part(
            "budget",
            "Memory budget",
            "Only the last words of the book: the text that a system with a bounded memory could have kept.",
            _budget,
            "max_book_tokens",
            ("value_acc",),
        ),
        Part(
            "path",
            "Path",
            "Whether answers stay right while distractors and instructions follow the last update: value accuracy on "
            "the questions about tags with an instruction in the text.",
            _path,
            "tail_distractor_steps",
            ("state_integrity_rate", "value_acc"),
        ),
        Part(
            "k",
            "Candidates",
            "The k latest lines of the tag and one older rival, shuffled.",
            _k_curve,
            "k",
            ("selection_rate", "value_acc"),
        ),
        Part(
            "order",
            "Order bias",
            "The same five lines with the gold line first, in the middle, last, and shuffled.",
            _order,
            "order",
            ("selection_rate", "value_acc"),
        ),
        Part(
            "authority",
            "Authority A/B",
            "Five lines of a log with 30% NOTEs, with and without a filter that removes NOTEs.",
            _authority,
            "authority_filter",
            ("value_acc", "selected_note_rate"),
        ),
        Part(
            "selectors",
            "Selectors",
            "A rule picks one of five lines, and the model answers from that line alone; `none` leaves the choice to "
            "the model.",
            _order,
            "order",
            ("gold_picked_rate", "selection_rate", "value_acc"),
            with_selectors=True,
        ),
    )
}
