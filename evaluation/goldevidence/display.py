"""Presents GoldEvidenceBench on a site: charts, boards, texts and commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from evaluation.core.plugin import (
    AcrossVersions,
    Axis,
    Buckets,
    Display,
    Lines,
    Mark,
    Place,
    SplitWords,
    Waterfall,
)
from evaluation.core.plugin.display import Shares
from evaluation.core.plugin.reached import Reached
from evaluation.core.records import Figures, Number
from evaluation.goldevidence.conditions.perturb import GOLD_AT
from evaluation.goldevidence.example import TERMS, example
from evaluation.goldevidence.grading.decomposition import CONDITION_VALUE, own_rates, waterfall
from evaluation.goldevidence.presets import Settings
from evaluation.goldevidence.records import ConditionSettings
from evaluation.goldevidence.split_names import split_term

#: Order of a condition -> its word, in the order of an axis.
ORDERS = {
    "gold_first": "first",
    "gold_middle": "middle",
    "gold_last": "last",
    **{order: f"place {place}" for order, place in GOLD_AT.items()},
    "shuffle": "shuffled",
}
SELECTION = Axis("selection_rate", "Selection rate")
VALUE = Axis("value_acc", "Value accuracy")

EARLIEST = "earliest"  # copied from `evaluation.goldevidence.retrieval`, whose import needs numpy


def family(condition: ConditionSettings, *, without: str) -> str:
    """Describe a condition in words, leaving out the setting `without`, by which the conditions of a family differ."""
    parts = {
        "retriever": "" if condition.get("retriever", "key") == "key" else condition["retriever"],
        "k": f"k = {condition['k']}" + (" exactly" if condition.get("exact") else ""),
        "order": condition["order"].replace("_", " "),
        "rest": f"rest {condition.get('rest', 'ascending')}" if _is_sorted(condition) else "",
        "other_keys": f"{condition['other_keys']} of other tags" if condition.get("other_keys") else "",
        "wrong_type": ""
        if condition["wrong_type"] == "same_key"
        else condition["wrong_type"].replace("_", " "),
        "drop": f"drop {condition['drop_prob']:g}" if condition.get("drop_prob") else "",
        "ties": "equal scores earliest first" if condition.get("ties") == EARLIEST else "",
        "order_seed": f"order seed {condition['order_seed']}" if condition.get("order_seed") else "",
        "drop_seed": f"drop seed {condition['drop_seed']}" if condition.get("drop_seed") else "",
        "spoof": f"spoofed {condition['spoof_rate']:g}" if condition.get("spoof_rate") else "",
    }
    left_out = {without, "other_keys"} if without == "k" else {without}  # it grows with k
    return ", ".join(text for name, text in parts.items() if text and name not in left_out)


def _is_sorted(condition: ConditionSettings) -> bool:
    return condition["order"] != "shuffle" and (condition.get("exact", False) or "rest" in condition)


def by_order(settings: Mapping[str, Any]) -> list[Place]:
    """Return chart points over the position of the gold line. Conditions that differ only in order form a series.

    A condition that shuffles all lines is also the last point of each series whose other lines are sorted.
    """
    conditions, places = settings.get("conditions", []), _places(settings, without="order")
    shuffled = {
        place.series: place.group
        for place, condition in zip(places, conditions, strict=True)
        if condition["order"] == "shuffle"
    }
    for place, condition in zip(list(places), conditions, strict=True):
        same = shuffled.get(
            family(cast(ConditionSettings, {**condition, "order": "shuffle"}), without="order")
        )
        if _is_sorted(condition) and same:
            places.append(Place(same, place.series, "shuffle"))
    return [
        Place(place.group, place.series, word)
        for order, word in ORDERS.items()
        for place in dict.fromkeys(places)
        if place.x == order
    ]


def by_k(settings: Mapping[str, object]) -> list[Place]:
    return sorted(_places(settings, without="k"), key=lambda place: float(place.x))


def _places(settings: Mapping[str, Any], *, without: str) -> list[Place]:
    return [
        Place(condition["name"], family(condition, without=without), condition[without])
        for condition in settings.get("conditions", [])
    ]


def note_rate(settings: Mapping[str, Any]) -> float | None:
    """Return the share of ledger lines that are NOTEs; None if the state mode has no NOTEs."""
    generator = settings.get("generator", {})
    rate: float | None = generator.get("note_rate")
    return rate if generator.get("state_mode") == "kv_commentary" else None


def _plots() -> Iterator[Any]:
    yield Waterfall(
        "decomposition",
        "Where answers are lost, on candidate rows",
        "Shares of all candidate rows. Each blue bar is part of the one before: the gold line is shown, it is also the "
        "first citation, and the value is also right. The grey bar adds right values whose first citation is another "
        "line; the last bar counts all correct values.",
        of="Of the candidate rows",
        axis="Share of candidate rows",
        rest="Right, not chosen",
        empty="The decomposition needs predictions for candidate conditions, and none were uploaded.",
    )
    yield Waterfall(
        "own-retrieval",
        "Where answers are lost, on the whole book",
        "Shares of the whole-text rows that one line answers and whose predictions list the lines shown. Each blue bar "
        "is part of the one before: the gold line was retrieved, it is also the first citation, and the value is also "
        "right. The grey bar adds right values whose first citation is another line; the last bar counts all "
        "correct values.",
        of="Of the rows that list the lines shown",
        axis="Share of these rows",
        rest="Right, not chosen",
        empty="No prediction lists the lines that its answerer saw (shown_uids).",
        own=True,
    )
    yield Lines(
        "order-bias",
        "Order bias",
        "How often the first citation is the gold line, on the candidate rows that show it, by its position. A flat "
        "line at 1 is ideal; the dashed line is the rate of a random choice. Each line sorts the other candidates in "
        "one way. Whiskers are 95% intervals of single points: a slope within them may be chance.",
        grouping="condition",
        rate=SELECTION,
        places=by_order,
        series="Candidates",
        x="Gold line",
        x_title="Position of the gold line",
        gaps=True,
        chance="selection_chance",
        tip="{series}, gold %{x}: %{y:.3f}",
        empty="No predictions were uploaded for the conditions that differ in order.",
    )
    yield Lines(
        "k-curve",
        "Selection over the number of candidates",
        "How often the first citation is the gold line, on the candidate rows that show it, as more ledger lines of "
        "the same key are shown. The dashed line is the rate of a random choice.",
        grouping="condition",
        rate=SELECTION,
        places=by_k,
        series="Condition",
        x="k",
        x_title="Candidates shown (k)",
        numbers=True,
        chance="selection_chance",
        empty="No predictions were uploaded for the conditions that differ in k.",
    )
    yield Buckets(
        "recency",
        "Accuracy by recency",
        "Value accuracy on the rows that show the whole book (on all rows if none does), by the distance between the "
        "last update of the key and the question, and by how often the key was written. Small numbers are on the left. "
        "Whiskers are 95% intervals.",
        panels={
            "tokens_since_update": "Tokens since the update",
            "distractors_since_update": "Distractors since the update",
            "writes_to_key": "Writes to the key",
        },
        rate=Axis("value_acc", "Value accuracy", "Accuracy"),
    )
    yield AcrossVersions(
        "notes",
        "Accuracy by note rate",
        "Value accuracy on versions that differ in how many ledger lines are NOTE commentary.",
        rate=VALUE,
        x=note_rate,
        x_title="Note rate",
        tip="%{y:.3f} at note rate %{x}",
    )


CHAIN = {
    "gold_present_rate": "shown",
    "selection_rate": "chosen",
    "accuracy_when_gold_present": "right where shown",
    "condition_value_acc": "right",
}
OWN_CHAIN = {
    "own_gold_present_rate": "found",
    "own_selection_rate": "chosen",
    "own_accuracy_when_gold_present": "right where found",
    "own_value_acc": "right",
}
STEPS = Mark(
    label="Decomposition",
    note="candidate rows",
    over="candidate rows",
    help="Shares of these rows. First bar: the gold line is shown; second: it is also chosen; third: the value is also "
    "right. Last bar: the value is right, whichever line was chosen",
    legend="Shares of the rows: the gold line is shown → also chosen (cited first) → the value is also right. Each "
    "drop is a loss. The last bar counts all correct values, whichever line was chosen.",
    sample=(("evidence shown", 1.0), ("chosen", 0.84), ("chosen and right", 0.7), ("right", 0.76)),
    instead="The score is over the {rows}; these shares are over the rows that show a few lines instead.",
    chain=CHAIN,
    beside=("gold_picked_rate", "picked by the selector, if shown"),
)
OWN_STEPS = Mark(
    label="Found and chosen",
    note="whole-text rows",
    over="whole-text rows whose predictions list the lines shown",
    help="Shares of the whole-text rows whose prediction lists the lines shown. First bar: the gold line was "
    "retrieved; second: it is also cited first; third: the value is also right. Last bar: the value is right, "
    "whichever line was cited. Beside the bars: the rate of each step among the rows that reach it",
    legend="The system itself retrieved the lines that its predictions list. Rates: the gold line is retrieved → "
    "chosen if retrieved → value right if retrieved → value right over all these rows.",
    sample=(("evidence shown", 0.8), ("chosen", 0.7), ("chosen and right", 0.66), ("right", 0.7)),
    chain=OWN_CHAIN,
    beside=("own_gold_picked_rate", "picked by the selector, if retrieved"),
)
DOTS = Mark(
    label="Order bias",
    note="gold line first … last",
    over="candidate rows",
    help="Selection rate by the position of the gold line, from first to last. An open dot is the rate in "
    "shuffled order",
    legend="Selection rate on the rows that show the gold line, by its position, from first to last. An open dot is "
    "the rate in shuffled order. Flat is good. The dashed line is chance: the rate of a random choice among the lines "
    "shown.",
    sample=(("gold_at_1", 0.15), ("gold_at_2", 0.3), ("gold_at_3", 0.6), ("gold_at_4", 0.95)),
    figure="Selection rate",
    chance="selection_chance",
    apart="shuffle",
)
LOST = ("Evidence shown", "Evidence chosen", "Chosen and value right", "Value right")


def decomposition(metrics: Mapping[str, Number]) -> Shares:
    """Return the share of rows at each step from "evidence shown" to "value right"; empty without conditions."""
    if metrics.get("gold_present_rate") is None:
        return []
    overall = metrics.get(CONDITION_VALUE, metrics.get("value_acc"))  # the figures of one condition
    return list(zip(LOST, (*waterfall(metrics), overall), strict=True))


def own_decomposition(metrics: Mapping[str, Number]) -> Shares:
    """Like `decomposition`, for lines that systems retrieve themselves; empty if no prediction lists such lines."""
    rates = own_rates(metrics)
    if rates["gold_present_rate"] is None:
        return []
    return list(zip(LOST, (*waterfall(rates), rates["value_acc"]), strict=True))


def order_bias(groups: Mapping[str, Mapping[str, Figures]], settings: Mapping[str, object]) -> Shares:
    """Return the selection rate per order, averaged over the conditions with this order; empty without conditions."""
    of_condition, conditions = groups.get("condition", {}), Settings.from_json(settings).conditions
    by_order: Shares = []
    for order in ORDERS:
        names = [condition.name for condition in conditions if condition.order == order]
        of_order = [
            of_condition[name]["metrics"].get("selection_rate") for name in names if name in of_condition
        ]
        rates = [rate for rate in of_order if rate is not None]
        if names:
            by_order.append((order, sum(rates) / len(rates) if rates else None))
    return by_order if any(rate is not None for _, rate in by_order) else []


def _reached(settings: Mapping[str, object]) -> Reached | None:
    from evaluation.goldevidence.experiments.anchors.reached import reached_under  # imports pydantic

    return reached_under(settings)


DISPLAY = Display(
    summary="Long episode logs with traps: is the evidence shown, chosen, cited and read correctly?",
    unit="episode",
    decomposition=decomposition,
    own_decomposition=own_decomposition,
    order_bias=order_bias,
    plots=tuple(_plots()),
    steps=STEPS,
    own_steps=OWN_STEPS,
    dots=DOTS,
    splits=SplitWords(
        noun="condition",
        help="Each condition shows the same questions in another way.",
        hidden="a file answers all or none of the rows that show the whole book, and all or none of those that show "
        "candidates",
        hidden_beside="all or none of the rows that show the whole book, all or none of those that show candidates",
        named=split_term,
    ),
    foot="Metrics are over the {rows}. Metrics that name candidates are over the rows that show a few lines instead, "
    "and authority violations are over all rows.",
    commands={
        "answer": "goldevidencebench run --baseline ledger --data {rows} --out preds.jsonl",
        "check": "goldevidencebench validate --data {rows} --pred preds.jsonl",
    },
    parameters={
        "condition": "Rank by one condition; see `facets` of the response.",
        "notes": "Rank by rows `with` or `without` a NOTE about their key.",
        "family": "Rank by questions of one family.",
    },
    reached=_reached,
    questions={
        "authority": "Does a model tell updates from notes and planted instructions?",
        "deep": "Which questions about state stay hard as texts grow?",
        "k_curve": "How many lines can a model choose from?",
        "ladder": "How long can the text get before a model loses track?",
        "order_bias": "Does the order of the evidence change the answer?",
        "prose": "Does a model follow state changes written as prose?",
        "retrieval": "Is the right line found, and is it chosen?",
        "standard": "Does a model answer with the value valid now?",
    },
    demo=(
        "ladder_short",
        "deep_short",
        "standard_short",
        "order_bias_short",
        "authority_short",
        "retrieval_short",
        "prose_short",
    ),
    demo_sealed="ladder_short",
    in_short="A long log updates the same tags again and again, among notes, quotes and injected instructions to "
    "ignore. Does the system answer with the value valid at the end, and cite the line that sets it?",
    example=example,
    terms=TERMS,
)
