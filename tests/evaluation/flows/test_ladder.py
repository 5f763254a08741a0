"""Versions of several lengths behind the suite protocol, read with and without a context window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from evaluation.attacks.leaks import LeakCheck, LeakError, padded
from evaluation.attacks.running import sealed_lines
from evaluation.core import jsonl
from evaluation.core.report import Report
from evaluation.core.suite import Item, Rung, get_suite
from evaluation.goldevidence.generator.ladder.rungs import KILO
from evaluation.goldevidence.presets import PRESETS, Settings
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.long_logs import Window
from evaluation.goldevidence.systems.registry import SYSTEMS
from tests.evaluation.goldevidence.generator.ladder.cast import settings

WINDOW = 16 * KILO
SEALED = settings(1024, 2048).as_json() | {"key": "5a" * 32}


def rows_of(items: Sequence[Item]) -> list[EpisodeRow]:
    return [cast(EpisodeRow, row) for item in items for row in item.rows]


def answered(items: Sequence[Item], system: Any) -> list[Any]:
    return [system.predict(SUITE.public_row(row), protocol="open_book") for row in rows_of(items)]


def graded(items: Sequence[Item], predictions: list[Any], chosen: Settings) -> Report:
    return SUITE.version(chosen.as_json()).grade((item.gold for item in items), predictions)


@pytest.fixture(scope="module")
def long_items() -> list[Item]:
    return list(SUITE.version(long_settings().as_json()).generate())


def long_settings() -> Settings:
    """Settings with depths at which texts of 32k reach back less than 16k tokens, and more."""
    return settings(2 * KILO, 8 * KILO, 32 * KILO, 128 * KILO, episodes=5, clear_rate=0.0)


def test_the_rungs_of_a_version_ascend_and_other_versions_have_none() -> None:
    assert SUITE.version(PRESETS["ladder"].as_json()).rungs == [
        Rung("2k", 2048),
        Rung("8k", 8192),
        Rung("32k", 32_768),
        Rung("128k", 131_072),
    ]
    assert list(SUITE.version(PRESETS["standard"].as_json()).rungs) == []
    state = get_suite("statebench")
    assert list(state.version({}).rungs) == []


def test_lengths_are_a_facet_in_ascending_order() -> None:
    notes, lengths = SUITE.version(PRESETS["ladder"].as_json()).facets(["128k", "2k", "32k", "8k"])
    assert (lengths.name, lengths.label, lengths.whole, lengths.default) == (
        "condition",
        "Length",
        "All lengths",
        "",
    )
    assert lengths.choices == (
        ("2k", "2k tokens"),
        ("8k", "8k tokens"),
        ("32k", "32k tokens"),
        ("128k", "128k tokens"),
    )
    assert notes.choices


def test_a_public_row_names_its_length_and_nothing_of_the_design() -> None:
    chosen = settings(1024, 2048)
    items = list(SUITE.version(chosen.as_json()).generate())
    for row in rows_of(items):
        public = cast(EpisodeRow, SUITE.public_row(row))
        assert public["meta"]["length"] in ("1k", "2k")
        assert not public["meta"].keys() & {
            "condition",
            "depth",
            "distractor_share",
            "ladder_group",
            "writes_to_key",
        }
        assert list(SUITE.overtold(public)) == []
    expected = SUITE.expected(SUITE.public_row(row) for row in rows_of(items))
    assert expected.splits == SUITE.expected(item.gold for item in items).splits
    assert {SUITE.form_of(name) for name in expected.splits.values()} == {"1k", "2k"}


def test_a_public_row_with_a_made_up_length_says_too_much() -> None:
    item = next(SUITE.version(settings(1024).as_json()).generate())
    public = cast(EpisodeRow, SUITE.public_row(item.rows[0]))
    public["meta"]["length"] = "twin"
    assert "an unknown length" in list(SUITE.overtold(public))


def test_a_sealed_file_has_one_length_of_lines_per_rung_and_passes_the_leak_check() -> None:
    lines, _ = sealed_lines(SUITE, SUITE.version(SEALED).generate())
    check = LeakCheck(SUITE.version(SEALED), {})
    written = [padded(jsonl.dumps(line.row), line.length) for line in lines]
    for line in written:
        check.line(line)
    assert len({len(line) for line in written}) == 2
    with pytest.raises(LeakError):
        LeakCheck(SUITE.version(SEALED), {}).line(
            written[0].replace(b'"1k"', b'"no"').replace(b'"2k"', b'"no"')
        )


def test_texts_of_one_episode_have_ids_and_titles_of_their_own() -> None:
    items = list(SUITE.version(SEALED).generate())
    titles = {row["document"].partition("\n")[0].rpartition(" ")[2] for row in rows_of(items)}
    assert titles == {row["episode_id"] for row in rows_of(items)}
    assert len(titles) == 2 * len(items)
    assert len({row["id"] for row in rows_of(items)}) == len(rows_of(items))


def test_rows_of_a_ladder_come_back_as_the_units_that_they_were() -> None:
    chosen = settings(1024, 2048)
    items = list(SUITE.version(chosen.as_json()).generate())
    again = list(SUITE.version(chosen.as_json()).items_from_rows(rows_of(items)))
    assert [item.key for item in again] == [item.key for item in items]
    assert [item.gold for item in again] == [item.gold for item in items]


def test_a_report_has_groups_by_depth_by_length_and_depth_and_by_share(long_items: list[Item]) -> None:
    report = graded(long_items, answered(long_items, SYSTEMS["ledger"].build()), long_settings())
    assert report.metrics["exact_acc"] == 1.0
    assert list(report.groups["condition"]) == ["2k", "8k", "32k", "128k"]
    assert list(report.groups["depth"]) == ["0.1", "0.3", "0.5", "0.7", "0.9"]
    assert list(report.groups["distractor_share"]) == ["0.25", "0.75"]
    cells = list(report.groups["length_depth"])
    assert cells == [
        f"{length}|{depth}" for length in report.groups["condition"] for depth in report.groups["depth"]
    ]
    assert sum(group["metrics"]["n"] for group in report.groups["length_depth"].values()) == len(
        rows_of(long_items)
    )


def test_reports_of_other_versions_have_no_such_groups() -> None:
    chosen = PRESETS["smoke"]
    items = list(SUITE.version(chosen.as_json()).generate())
    report = SUITE.version(chosen.as_json()).grade((item.gold for item in items), [])
    assert not report.groups.keys() & {"depth", "length_depth", "distractor_share"}


def test_a_reader_with_a_window_breaks_where_the_update_is_further_back_and_nowhere_else(
    long_items: list[Item],
) -> None:
    rows = rows_of(long_items)
    report = graded(long_items, answered(long_items, Window(WINDOW)), long_settings())
    right = {verdict["id"]: cast(Any, verdict)["value_ok"] for verdict in report.rows}
    # the update's line, of at most 40 tokens, has to be in the window as a whole
    near = [row["id"] for row in rows if row["meta"]["tokens_since_update"] < WINDOW - 40]
    far = [row["id"] for row in rows if row["meta"]["tokens_since_update"] > WINDOW]
    assert len(near) + len(far) >= len(rows) - 2
    assert all(right[row_id] for row_id in near)
    assert not any(right[row_id] for row_id in far)
    by_length = {name: group["metrics"]["value_acc"] for name, group in report.groups["condition"].items()}
    assert by_length["2k"] == by_length["8k"] == 1.0 > by_length["32k"] > by_length["128k"]


@pytest.mark.parametrize("name", ["ledger", "latest_step+gate", "positional_first", "prefer_set_latest"])
def test_a_system_that_ignores_length_answers_the_same_at_all_lengths(
    name: str, long_items: list[Item]
) -> None:
    answers: dict[tuple[str, int], set[tuple[Any, ...]]] = {}
    for row, prediction in zip(rows_of(long_items), answered(long_items, SYSTEMS[name].build()), strict=True):
        question = (row["meta"]["ladder_group"], row["meta"]["q_index"])
        answers.setdefault(question, set()).add((prediction["value"], *prediction["support_ids"]))
    assert all(len(told) == 1 for told in answers.values())


def test_a_file_may_leave_out_a_length_as_a_whole(long_items: list[Item]) -> None:
    short = [
        prediction
        for row, prediction in zip(
            rows_of(long_items), answered(long_items, SYSTEMS["ledger"].build()), strict=True
        )
        if row["meta"]["length"] in ("2k", "8k")
    ]
    report = graded(long_items, short, long_settings())
    assert [name for name, group in report.groups["condition"].items() if "n" in group["metrics"]] == [
        "2k",
        "8k",
    ]
    assert report.metrics["exact_acc"] == 1.0
