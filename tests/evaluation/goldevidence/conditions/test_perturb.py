"""Orders, dropped lines and disguises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import UnknownNameError
from evaluation.core.rng import Stream
from evaluation.goldevidence.conditions.perturb import (
    MARKER_MISSING,
    NOTE_AS_UPDATE,
    ORDERS,
    UNMARKED,
    UPDATE_AS_NOTE,
    arrange,
    drop,
    spoof,
)
from evaluation.goldevidence.data.ledger import Entry

ENTRIES = [Entry(f"U00000{n}", n, "SET", "tag.00", f"amber-000{n}") for n in range(1, 6)]
NOTE = Entry("U00000A", 9, "NOTE", "tag.00", "jade-0009")
GOLD = "U000005"


def places(order: str, gold: str = GOLD) -> list[int]:
    return [entry.step for entry in arrange(ENTRIES, gold, order, Stream("x"))]


def test_positional_orders_move_the_gold_line_only() -> None:
    assert places("gold_first") == [5, 1, 2, 3, 4]
    assert places("gold_middle") == [1, 2, 5, 3, 4]
    assert places("gold_last") == [1, 2, 3, 4, 5]


def test_without_the_gold_line_positional_orders_change_nothing() -> None:
    assert places("gold_first", "U0000FF") == [1, 2, 3, 4, 5]


@given(st.sampled_from(ORDERS), st.integers(0, 5))
def test_an_order_loses_and_invents_nothing(order: str, seed: int) -> None:
    assert sorted(arrange(ENTRIES, GOLD, order, Stream(seed))) == ENTRIES


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'gold_last'"):
        arrange(ENTRIES, GOLD, "gold_lst", Stream())


def test_the_gold_line_is_dropped_at_its_probability() -> None:
    dropped = sum(len(drop(ENTRIES, GOLD, 0.4, Stream(seed))) == 4 for seed in range(2000))
    assert dropped / 2000 == pytest.approx(0.4, abs=0.04)
    assert drop(ENTRIES, GOLD, 0.0, Stream()) == ENTRIES
    assert GOLD not in [entry.uid for entry in drop(ENTRIES, GOLD, 1.0, Stream())]


def test_disguises_keep_key_step_and_value() -> None:
    for seed in range(20):
        for line, entry in zip(spoof([*ENTRIES, NOTE], 1.0, Stream(seed)), [*ENTRIES, NOTE], strict=True):
            assert line.entry._replace(op=entry.op) == entry


def test_a_disguise_contradicts_the_marker_or_removes_it() -> None:
    lines = [line for seed in range(20) for line in spoof([ENTRIES[0], NOTE], 1.0, Stream(seed))]
    assert {line.kind for line in lines} == {NOTE_AS_UPDATE, UPDATE_AS_NOTE, MARKER_MISSING}
    for line in lines:
        match line.kind:
            case "marker_missing":
                assert line.entry.op == UNMARKED
            case "note_as_update":
                assert line.entry.op == "NOTE"
                assert "UPDATE step=9 SET tag.00" in str(line.remark)
            case _:
                assert line.entry.op == "SET"
                assert "NOTE" in str(line.remark)


def test_a_rate_of_zero_disguises_nothing() -> None:
    assert all(line.kind is None for line in spoof(ENTRIES, 0.0, Stream()))
