"""Exactly k lines: which are shown, and how positions and orders affect a system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from evaluation.core.errors import SettingsError
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.perturb import RESTS
from evaluation.goldevidence.conditions.rows import shown_entries
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.presets import Settings
from evaluation.goldevidence.suite import SUITE

POSITIONS = ("gold_first", "gold_middle", "gold_last")
GENERATOR = {
    "episodes": 6,
    "steps": 120,
    "keys": 12,
    "queries": 4,
    "chapters": 3,
    "note_rate": 0.3,
    "distractor_profile": "standard",
    "revision": 2,
}
EXACT = {"k": 4, "exact": True, "other_keys": 1, "notes": 1}


def version(*conditions: dict[str, Any], mode: str = "kv_commentary") -> dict[str, Any]:
    generator = GENERATOR | {"state_mode": mode}
    return SUITE.settings.checked({"generator": generator, "conditions": list(conditions)})


def rows_of(settings: dict[str, Any]) -> list[Any]:
    rows = [row for item in SUITE.version(settings).generate() for row in item.rows]
    return [row for row in rows if row.get("candidates") is not None]


@pytest.mark.parametrize("mode", ["kv", "kv_commentary"])
@pytest.mark.parametrize("k", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("drop", [0.0, 0.5])
def test_every_question_shows_exactly_k_different_lines(mode: str, k: int, drop: float) -> None:
    rows = rows_of(version({"k": k, "exact": True, "other_keys": k // 4, "drop_prob": drop}, mode=mode))
    assert {len({line["uid"] for line in row["candidates"]}) for row in rows} == {k}
    assert all(row["gold"]["present"] for row in rows) is (drop == 0)


def test_which_of_equal_scores_comes_first_counts_where_exactly_k_lines_are_shown() -> None:
    shown = {}
    for ties in ("latest", "earliest"):
        rows = rows_of(version({"k": 2, "exact": True, "retriever": "bm25", "ties": ties}, mode="kv"))
        shown[ties] = sum(row["gold"]["present"] for row in rows) / len(rows)
    assert shown["latest"] > 0.8
    assert shown["earliest"] < 0.5


@pytest.mark.parametrize("retriever", ["bm25", "tfidf"])
def test_retrievers_show_exactly_k_lines_too_where_the_gold_line_is_dropped(retriever: str) -> None:
    rows = rows_of(version({"k": 3, "exact": True, "retriever": retriever, "drop_prob": 0.5}))
    assert {len(row["candidates"]) for row in rows} == {3}


def test_lines_of_other_tags_and_notes_are_among_them() -> None:
    for row in rows_of(version(EXACT)):
        lines, key = row["candidates"], row["meta"]["key"]
        assert any(line["key"] != key for line in lines)
        assert any(line["op"] == "NOTE" for line in lines)
        assert any(line["key"] == key and line["op"] != "NOTE" for line in lines)


def test_a_ledger_without_notes_has_more_lines_of_the_tag_instead() -> None:
    rows = rows_of(version(EXACT, mode="kv"))
    own = [sum(line["key"] == row["meta"]["key"] for line in row["candidates"]) for row in rows]
    assert max(own) == 3
    assert not any(line["op"] == "NOTE" for row in rows for line in row["candidates"])


def test_a_tag_with_fewer_lines_is_filled_up_with_those_of_others() -> None:
    short = [
        row
        for row in rows_of(version({"k": 16, "exact": True}))
        if sum(line["key"] == row["meta"]["key"] for line in row["candidates"]) < 16
    ]
    assert short
    for row in short:
        last = max(line["step"] for line in row["candidates"])
        assert last >= next(
            line["step"] for line in row["candidates"] if line["uid"] == row["gold"]["support_id"]
        )


def test_the_permutations_of_a_question_and_its_twin_show_the_same_lines() -> None:
    orders = [EXACT | {"order": order, "rest": rest} for order in POSITIONS for rest in RESTS]
    conditions = [*orders, EXACT | {"drop_prob": 0.5, "spoof_rate": 0.5}]
    rows = rows_of(version(*conditions))
    shown: dict[Any, set[Any]] = {}
    for row in rows:
        family = row["meta"]["permutation"].partition("@")[2]
        place = row["meta"]["twin_group"], row["meta"]["q_index"], family
        lines = frozenset((line["uid"], line.get("remark"), line["op"] == "?") for line in row["candidates"])
        shown.setdefault(place, set()).add(lines)
    assert len(shown) > 20
    assert {len(lines) for lines in shown.values()} == {1}


@pytest.mark.parametrize("rest", RESTS)
@pytest.mark.parametrize("order", POSITIONS)
def test_the_rest_is_sorted_as_the_condition_says_wherever_the_gold_line_stands(
    order: str, rest: str
) -> None:
    sorted_rows = 0
    rows = rows_of(version(EXACT | {"k": 5, "order": order, "rest": rest}))
    for row in rows:
        uids = [line["uid"] for line in row["candidates"]]
        assert (
            uids.index(row["gold"]["support_id"])
            == {"gold_first": 0, "gold_middle": 2, "gold_last": 4}[order]
        )
        steps = [line["step"] for line in row["candidates"] if line["uid"] != row["gold"]["support_id"]]
        if rest != "shuffled":
            assert steps == sorted(steps, reverse=rest == "descending")
        sorted_rows += steps == sorted(steps)
    assert (sorted_rows == len(rows)) is (rest == "ascending")


def last_line(lines: Sequence[Entry]) -> Entry:
    return lines[-1]


def end_of_a_sorted_list(lines: Sequence[Entry]) -> Entry:
    """Takes the list for sorted in the direction its ends suggest, and its end with the greater step for the latest."""
    steps = [line.step for line in lines]
    if steps == sorted(steps):
        return lines[-1]
    return lines[0] if steps == sorted(steps, reverse=True) else lines[len(lines) // 2]


def profile(policy: Callable[[Sequence[Entry]], Entry], settings: dict[str, Any]) -> dict[str, float]:
    """Condition -> selection rate."""
    items = list(SUITE.version(settings).generate())
    answers = [
        {"id": row["id"], "value": chosen.value, "support_ids": [chosen.uid]}
        for item in items
        for row in item.rows
        if row.get("candidates") is not None
        for chosen in [policy(shown_entries(SUITE.public_row(row)))]
    ]
    groups = SUITE.version(settings).grade([item.gold for item in items], answers).groups["condition"]
    rates = {name: group["metrics"].get("selection_rate") for name, group in groups.items()}
    return {name: round(rate, 2) for name, rate in rates.items() if rate is not None}


def test_a_last_line_and_a_sorted_list_policy_get_different_profiles() -> None:
    before = version(*({"k": 4, "order": order} for order in POSITIONS), mode="kv")
    confounded = {"k4-gold_first": 0.0, "k4-gold_middle": 0.0, "k4-gold_last": 1.0}
    assert profile(last_line, before) == confounded
    sorted_list = profile(end_of_a_sorted_list, before)
    assert sorted_list["k4-gold_last"] == 1.0, "the only order that was sorted by step"

    crossed = version(
        *({"k": 4, "exact": True, "order": order, "rest": rest} for order in POSITIONS for rest in RESTS),
        mode="kv",
    )
    last, by_step = profile(last_line, crossed), profile(end_of_a_sorted_list, crossed)
    for rest in ("", "-descending", "-shuffled"):
        assert (last[f"exact4-gold_last{rest}"], last[f"exact4-gold_first{rest}"]) == (1.0, 0.0)
    assert by_step["exact4-gold_first-descending"] > 0.9 > 0.1 > last["exact4-gold_first-descending"]
    assert by_step["exact4-gold_last-descending"] < 0.1 < 0.9 < last["exact4-gold_last-descending"]


def test_what_chance_gets_is_one_in_k_and_a_random_pick_gets_it() -> None:
    settings = version(EXACT)
    items = list(SUITE.version(settings).generate())
    rows = [row for item in items for row in item.rows if row.get("candidates") is not None]
    answers = [
        {"id": row["id"], "value": None, "support_ids": [row["candidates"][number % 4]["uid"]]}
        for number, row in enumerate(rows)
    ]
    report = SUITE.version(settings).grade([item.gold for item in items], answers)
    (group,) = (group for name, group in report.groups["condition"].items() if name.startswith("exact"))
    assert report.metrics["selection_chance"] == group["metrics"]["selection_chance"] == 0.25
    low, high = report.intervals["selection_rate"]
    assert low < 0.25 < high


@pytest.mark.parametrize(
    ("settings", "field", "message"),
    [
        ({"notes": 1}, "other_keys", "need 'exact'"),
        (
            {"exact": True, "k": 2, "other_keys": 1, "notes": 1},
            "other_keys",
            "together must stay below k (2)",
        ),
        ({"exact": True, "wrong_type": "other_key"}, "wrong_type", "use other_keys"),
        ({"exact": True, "retriever": "bm25", "notes": 1}, "other_keys", "need the retriever 'key'"),
        ({"rest": "sorted"}, "rest", "must be one of ascending, descending, shuffled"),
    ],
)
def test_settings_that_do_not_fit_are_named(settings: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Condition.from_json(settings)
    assert list(caught.value.fields) == [field]
    assert message in caught.value.fields[field][0]


def test_later_fields_are_written_only_where_they_are_used() -> None:
    before = Condition.from_json({"k": 4}).as_json()
    assert not {"exact", "other_keys", "notes", "rest"} & before.keys()
    newer = Condition.from_json(EXACT | {"order": "gold_last", "rest": "descending"})
    assert newer.name == "exact4-gold_last-descending-other1-note1"
    assert Condition.from_json(newer.as_json()) == newer
    assert Settings.from_json({"conditions": [newer.as_json()]}).as_json()["conditions"] == [newer.as_json()]


def test_nothing_of_a_condition_stands_in_a_public_row() -> None:
    settings = version(*({**EXACT, "order": order, "rest": "shuffled"} for order in POSITIONS))
    for item in SUITE.version(settings).generate():
        for row in item.rows:
            public = SUITE.public_row(row)
            assert list(SUITE.overtold(public)) == []
            assert (
                not {"permutation", "condition", "instruction_group", "instruction_pair"}
                & public["meta"].keys()
            )
