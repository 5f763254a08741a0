"""The decomposition: was the evidence shown, was it chosen, was it read correctly.

    gold_present_rate -> selection_rate -> accuracy_when_gold_present -> value_acc

Every figure is a ratio of two sums over rows, so that a bootstrap only has to add up `ratios` by unit. The
line a system *selected* is its first citation. Rates of selection look at rows that show the gold line, so
that a dropped gold line lowers `gold_present_rate` and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.goldevidence.conditions.conditions import Condition, Row, shown_entries
from evaluation.goldevidence.conditions.perturb import UPDATE_AS_NOTE
from evaluation.goldevidence.data.answers import SELECTED
from evaluation.goldevidence.data.ledger import AUTHORITATIVE, Line

Ratio = tuple[NDArray[np.bool_], NDArray[np.bool_]]  # numerator, denominator: [rows] each
Rates = dict[str, float | None]
OP, VALUE = 1, 3  # places in a Line

METRICS: tuple[str, ...] = (
    "gold_present_rate",
    "selection_rate",
    "accuracy_when_gold_present",
    "value_acc",
    "answer_acc_given_gold_selected",
    "value_is_substring_of_selected_line_rate",
    "support_consistency_rate",
    "gold_support_selected_rate",
    "selected_note_rate",
    "selected_wrong_update_rate",
    "wrong_update_rate",
    "authority_false_accept_rate",
    "authority_false_reject_rate",
    "spoof_accept_rate",
    "abstain_rate",
    "abstain_precision",
    "abstain_recall",
)
POSITIONS = ("gold_first", "gold_middle", "gold_last")


class Selected(IntEnum):
    """What the first citation of an answer is."""

    NOTHING = 0
    GOLD = 1
    UPDATE = 2  # another line with authority
    NOTE = 3
    UNMARKED = 4  # a line whose marker is missing
    UNKNOWN = 5  # an id that was not shown


class Choice(NamedTuple):
    """One answer to one condition row. -1 means that the question does not arise."""

    present: bool  # the gold line is shown
    value_ok: bool
    picks_gold: bool  # the selected line is the gold line
    cites_gold: bool  # some citation is the gold line
    selected: int  # a Selected
    abstained: bool  # an answer without value and citation
    value_in_line: int  # the value is part of the selected line's value
    consistent: int  # the selected line is the one that the system's selector chose; -1 where it does not say
    forged_shown: bool  # a line with false authority is shown: a NOTE that quotes an UPDATE, or no marker
    forged_selected: bool


def observe(
    lines: Mapping[str, Line],
    cited: Sequence[str],
    value: str | None,
    *,
    gold: str,
    present: bool,
    value_ok: bool,
    direct: bool = True,
    spoofed: Mapping[str, str] = {},
    selected_uid: str | None = None,
    parsed: bool = True,
) -> Choice:
    """What an answer (`cited` ids in its order, `value` or None) chose among the lines shown, by id.

    The answer of a derived question (not `direct`) is no part of its line. `selected_uid` is the line that the system's
    selector chose, as far as the prediction tells; one that was not shown agrees with no citation. What is missing
    or could not be read (not `parsed`) is no abstention.
    """
    first = cited[0] if cited else None
    line = lines.get(first) if first is not None else None
    held = None if line is None else line[VALUE]
    forged = [uid for uid, kind in spoofed.items() if kind != UPDATE_AS_NOTE]
    return Choice(
        present=present,
        value_ok=value_ok,
        picks_gold=first == gold,
        cites_gold=gold in cited,
        selected=_selected(first, line, gold),
        abstained=parsed and first is None and value is None,
        value_in_line=int(value in held) if direct and held is not None and value is not None else -1,
        consistent=-1 if selected_uid is None else int(first == selected_uid and line is not None),
        forged_shown=bool(forged),
        forged_selected=first in forged,
    )


def observe_row(row: Row, prediction: Row) -> Choice:
    """What a prediction in canonical form (`value`, `support_ids`) chose in a condition row with gold."""
    gold, value = row["gold"], prediction["value"]
    return observe(
        {entry.uid: entry[1:] for entry in shown_entries(row)},
        prediction["support_ids"],
        value,
        gold=gold["support_ids"][0],
        present=gold["present"],
        value_ok=value == gold["value"],
        direct=row["meta"].get("derived_op") is None,
        spoofed=gold["spoofed"],
        selected_uid=prediction.get(SELECTED),
    )


def _selected(first: str | None, line: Line | None, gold: str) -> Selected:
    if first is None:
        return Selected.NOTHING
    if line is None:
        return Selected.UNKNOWN
    if line[OP] == "NOTE":
        return Selected.NOTE
    if line[OP] not in AUTHORITATIVE:
        return Selected.UNMARKED
    return Selected.GOLD if first == gold else Selected.UPDATE


def ratios(column: Mapping[str, NDArray[Any]]) -> dict[str, Ratio]:
    """Every metric as (numerator, denominator) by row; the columns [rows] are the fields of Choice."""
    present, value_ok, picks, cites, abstained, forged_shown, forged_selected = (
        column[name] == 1
        for name in (
            "present",
            "value_ok",
            "picks_gold",
            "cites_gold",
            "abstained",
            "forged_shown",
            "forged_selected",
        )
    )
    selected, in_line, consistent = column["selected"], column["value_in_line"], column["consistent"]
    every = np.ones(len(selected), dtype=np.bool_)
    cited = (selected != Selected.NOTHING) & (selected != Selected.UNKNOWN)
    note, wrong_update = selected == Selected.NOTE, selected == Selected.UPDATE
    picked, chosen, missing = present & picks, present & cited, ~present
    return {
        name: (numerator & denominator, denominator)
        for name, numerator, denominator in (
            ("gold_present_rate", present, every),
            ("selection_rate", picks, present),
            ("accuracy_when_gold_present", value_ok, present),
            ("value_acc", value_ok, every),
            ("answer_acc_given_gold_selected", value_ok, picked),
            ("value_is_substring_of_selected_line_rate", in_line == 1, picked & (in_line >= 0)),
            ("support_consistency_rate", consistent == 1, present & (consistent >= 0)),
            ("gold_support_selected_rate", cites, present),
            ("selected_note_rate", note, chosen),
            ("selected_wrong_update_rate", wrong_update, chosen & (selected != Selected.GOLD)),
            ("wrong_update_rate", wrong_update, chosen),
            ("authority_false_accept_rate", note | (selected == Selected.UNMARKED), cited),
            ("authority_false_reject_rate", abstained, present),
            ("spoof_accept_rate", forged_selected, forged_shown),
            ("abstain_rate", abstained, every),
            ("abstain_precision", missing, abstained),
            ("abstain_recall", abstained, missing),
        )
    }


def decompose(choices: Iterable[Choice]) -> Rates:
    """The figures of METRICS, None where a rate has nothing to look at."""
    return {name: rate(*ratio) for name, ratio in ratios(columns(choices)).items()}


def columns(choices: Iterable[Choice]) -> dict[str, NDArray[np.int8]]:
    """Choices by column, [rows] each."""
    table = np.array(list(choices), dtype=np.int8).reshape(-1, len(Choice._fields))
    return dict(zip(Choice._fields, table.T, strict=True))


def rate(numerator: NDArray[np.bool_], denominator: NDArray[np.bool_]) -> float | None:
    """numerator / denominator, None for nothing."""
    total = int(denominator.sum())
    return int(numerator.sum()) / total if total else None


def waterfall(rates: Mapping[str, float | None]) -> tuple[float | None, float | None, float | None]:
    """Of all rows: the gold line is shown; shown and chosen; chosen and the value right, each a part
    of the one before."""
    shown = rates.get("gold_present_rate")
    chosen = _of(shown, rates.get("selection_rate"))
    return shown, chosen, _of(chosen, rates.get("answer_acc_given_gold_selected"))


def _of(whole: float | None, part: float | None) -> float | None:
    """A share of a share. Of nothing it is nothing, whatever the part was."""
    if whole is None or (part is None and whole):
        return None
    return whole * (part or 0.0)


def decomposition_line(rates: Mapping[str, float | None]) -> str:
    """`1.0000 -> 0.7500 -> 0.7500 -> 0.7500`, a figure that is not there as `n/a`."""
    return " -> ".join("n/a" if rates.get(name) is None else f"{rates[name]:.4f}" for name in METRICS[:4])


class OrderBias(NamedTuple):
    """How much the position of the gold line decides: one family of conditions that differ in order only."""

    family: str
    spread: float  # best minus worst selection rate over the positions
    worst_order: str
    worst_selection_rate: float


def order_bias(
    conditions: Iterable[Condition], selection_rates: Mapping[str, float | None]
) -> list[OrderBias]:
    """One figure per family with at least two measured positions, the widest spread first.

    `selection_rates` is by condition name.
    """
    families: dict[str, dict[str, float]] = {}
    for condition in conditions:
        found = selection_rates.get(condition.name)
        if condition.order in POSITIONS and found is not None:
            families.setdefault(family(condition), {})[condition.order] = found
    biases = []
    for name, rates in families.items():
        if len(rates) > 1:
            worst = min(rates, key=lambda order: rates[order])
            biases.append(OrderBias(name, max(rates.values()) - rates[worst], worst, rates[worst]))
    return sorted(biases, key=lambda bias: (-bias.spread, bias.family))


def family(condition: Condition) -> str:
    """What two conditions share that differ in their order only."""
    return _settings_text(condition, without=("name", "order"))


def _settings_text(condition: Condition, without: tuple[str, ...]) -> str:
    settings = condition.as_dict().items()
    return " ".join(f"{name}={value}" for name, value in settings if name not in without)
