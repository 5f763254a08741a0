"""Tables of known systems' figures."""

from __future__ import annotations

from dataclasses import replace

from evaluation.core.plugin.reached import Grouping, KnownSystem, Reached, ReachedRate


def system(name: str, *values: float, **more: object) -> KnownSystem:
    rates = {part: ReachedRate(value, None, None, 10) for part, value in zip(PARTS, values, strict=False)}
    return replace(KnownSystem(name, "rule", "", rates), **more)


PARTS = ("all", "1k", "2k", "1k|chain")
REACHED = Reached(
    preset="tiny",
    settings_sha256="",
    rows_sha256="",
    metric="exact_acc",
    units=1,
    of_units=1,
    rows=10,
    groupings=[Grouping("condition", "length", ["1k", "2k"]), Grouping("length_family", "", ["1k|chain"])],
    systems=[system("oracle", 1, 1, 1, 1), system("reader", 0.5, 0.8, 0.2, 0.4), system("other", 1, 1, 1)],
)


def test_groups_of_one_grouping_stand_apart_from_those_that_are_crossed() -> None:
    single, crossed = REACHED.tables
    assert (single.parts, crossed.parts) == (["all", "1k", "2k"], ["1k|chain"])
    assert (single.is_crossed, crossed.is_crossed) == (False, True)
    assert [line.names for line in crossed.lines] == [["oracle"], ["reader"]], (
        "one that was not asked is missing"
    )


def test_without_crossed_groups_there_is_one_table() -> None:
    assert len(replace(REACHED, groupings=REACHED.groupings[:1]).tables) == 1


def test_systems_with_the_same_figures_share_a_line_and_few_of_them_are_named() -> None:
    some = [system(f"floor {number}", 0, 0, 0) for number in range(5)]
    lines = replace(REACHED, systems=[*REACHED.systems, *some]).tables[0].lines
    assert [(line.names, line.others) for line in lines] == [
        (["oracle", "other"], 0),
        (["reader"], 0),
        (["floor 0", "floor 1"], 3),
    ]


def test_the_best_attackers_share_no_line_with_a_system() -> None:
    best = system("best parser", 1, 1, 1, 1, role="parser")
    lines = replace(REACHED, systems=[*REACHED.systems, best]).tables[0].lines
    assert ["best parser"] in [line.names for line in lines]


def test_a_system_that_answered_a_few_rows_of_a_part_says_so() -> None:
    model = system("small model", 0.5, sampled=True)
    [*_, line] = replace(REACHED, systems=[*REACHED.systems, model]).tables[0].lines
    assert line.is_sampled
    assert [cell and cell.value for cell in line.cells] == [0.5, None, None]
