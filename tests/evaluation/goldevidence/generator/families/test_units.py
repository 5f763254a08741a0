"""Texts of the families: of the right length, with their own names, graded and solved exactly in every form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from evaluation.core.errors import SettingsError
from evaluation.core.suite import get_suite
from evaluation.core.tokens import digit_tokens
from evaluation.goldevidence.generator.ladder.rungs import is_of_length, rung_tokens
from evaluation.goldevidence.generator.renaming import renamings
from evaluation.goldevidence.presets import Settings, get_preset
from evaluation.goldevidence.systems.families import deeds_of
from evaluation.goldevidence.systems.registry import SYSTEMS
from tests.evaluation.goldevidence.generator.families import cast

LENGTHS = (6144, 12288)
#: Protocol and wording of each form.
FORMS = (("open", "published"), ("closed", "published"), ("open", "prose"), ("closed", "prose"))
SUITE = get_suite("goldevidence")


def settings(protocol: str = "open", *families: str, **more: Any) -> dict[str, Any]:
    """Settings of a small version."""
    if more.get("wording") == "prose":
        more["book_ledger"] = False
    config = cast.config(*families, **more)
    return Settings.from_json(
        {
            "protocol": protocol,
            "generator": config.as_json(),
            "ladder": {"lengths": LENGTHS},
            "public_gold": True,
        }
    ).as_json()


@pytest.fixture(scope="module", params=FORMS, ids=" ".join)
def version(request: pytest.FixtureRequest) -> Any:
    """A version of all families in one form, and its items."""
    protocol, wording = request.param
    bound = SUITE.version(settings(protocol, wording=wording))
    return bound, list(bound.generate())


def rows_of(items: Sequence[Any]) -> list[Any]:
    return [row for item in items for row in item.rows]


def text_of(row: Any) -> str:
    return row.get("document") or row["book"]


def test_texts_have_their_length_and_headings(version: Any):
    for row in rows_of(version[1]):
        tokens = rung_tokens(row["meta"]["length"])
        assert tokens is not None
        assert is_of_length(digit_tokens(text_of(row)), tokens)
        assert sum(line.startswith(("## Chapter", "### Segment")) for line in text_of(row).split("\n")) == 4


def test_units_take_the_families_in_turn_and_ask_as_many_questions_of_each(version: Any):
    families = [item.rows[0]["meta"]["family"] for item in version[1]]
    assert families[: len(cast.FAMILIES)] == list(cast.FAMILIES)
    for item in version[1]:
        assert len(item.rows) == 12 * len(LENGTHS)
        assert len({text_of(row) for row in item.rows}) == len(LENGTHS)


def test_texts_of_a_unit_share_neither_ids_nor_values_nor_steps_more_than_chance_has_it(version: Any):
    for item in version[1]:
        short, long = ({deed.uid for deed in deeds_of(text)} for text in {text_of(row) for row in item.rows})
        assert not short & long  # of some hundred ids among 16 million
        pairs = zip(item.rows[:12], item.rows[12:], strict=True)
        assert sum(first["question"] == second["question"] for first, second in pairs) < 6


def test_texts_of_a_unit_tell_the_same_story(version: Any):
    for item in version[1]:
        told = []
        for row in (item.rows[0], item.rows[12]):
            undone = renamings(row["meta"]["disguise"], row["meta"]["state_mode"])
            told.append([(undone.uid_before(deed.uid), deed.op) for deed in deeds_of(text_of(row))])
        assert told[0] == told[1]


def test_answers_at_all_lengths_are_one_answer(version: Any):
    for item in version[1]:
        for short, long in zip(item.rows[:12], item.rows[12:], strict=True):
            before = []
            for row in (short, long):
                meta, value = row["meta"], row["gold"]["value"]
                undone = renamings(meta["disguise"], meta["state_mode"])
                if meta["family"] == "chain" or meta["derived_op"] == "most_changed":
                    value = undone.tag_before(value)
                elif meta["derived_op"] not in ("count_changed", "count_holding"):
                    value = undone.answer_before(value)
                before.append((value, sorted(map(undone.uid_before, row["gold"]["support_ids"]))))
            assert before[0] == before[1]
            assert short["meta"]["dial"] == long["meta"]["dial"]


def test_public_rows_say_no_more_than_their_question(version: Any):
    for row in rows_of(version[1]):
        public = SUITE.public_row(row)
        assert list(SUITE.overtold(public)) == []
        assert not public["meta"].keys() & {"family", "dial", "asks", "disguise", "depth"}


def test_the_gold_is_exact_and_the_oracle_finds_it_in_the_public_row(version: Any):
    bound, items = version
    given = [{"id": row["id"], **row["gold"]} for row in rows_of(items)]
    solver = SYSTEMS["ledger"].build()
    parsed = [solver.predict(SUITE.public_row(row)) for row in rows_of(items)]
    for predictions in (given, parsed):
        report = bound.grade([item.gold for item in items], predictions)
        assert report.metrics["exact_acc"] == report.metrics["entailment"] == 1.0
        assert report.metrics["authority_violation_rate"] == 0.0
        assert list(report.groups["family"]) == sorted(cast.FAMILIES)


def test_figures_are_grouped_by_family_by_length_and_by_how_hard_a_question_is(version: Any):
    bound, items = version
    report = bound.grade(
        [item.gold for item in items], [{"id": row["id"], **row["gold"]} for row in rows_of(items)]
    )
    assert [*report.groups["length_family"]][:2] == ["6k|aggregate", "6k|authority"]
    assert [*report.groups["family_dial"]][-7:] == [f"nth|{number}" for number in range(2, 9)]
    assert report.metrics["n"] == len(rows_of(items))


@pytest.mark.parametrize(
    ("name", "family", "at_most"),
    [
        ("mentions_counted", "aggregate", 0.8),
        ("hop_short", "chain", 0.0),
        ("retracted_counted", "nth", 0.2),
        ("revoked_counted", "authority", 0.9),
        ("word_overlap", "meaning", 0.3),
    ],
)
def test_a_fault_costs_its_family_and_no_other(version: Any, name: str, family: str, at_most: float):
    bound, items = version
    solver = bound.systems()[name].build()
    predictions = [solver.predict(SUITE.public_row(row)) for row in rows_of(items)]
    report = bound.grade([item.gold for item in items], predictions)
    for each, figures in report.groups["family"].items():
        exact = figures["metrics"]["exact_acc"]
        assert exact <= at_most if each == family else exact == 1.0


def test_a_window_reads_what_fits_and_fails_beyond():
    bound = SUITE.version(settings("open"))
    items = list(bound.generate())
    window = bound.systems()["window_2k"].build()
    predictions = [window.predict(SUITE.public_row(row)) for row in rows_of(items)]
    by_length = bound.grade([item.gold for item in items], predictions).groups["condition"]
    assert by_length["12k"]["metrics"]["exact_acc"] < by_length["6k"]["metrics"]["exact_acc"] < 0.6


def test_a_window_of_16k_tokens_breaks_between_8k_and_32k_on_the_preset():
    preset = get_preset("deep")
    few = preset.having(generator=preset.generator.having(episodes=5, queries=6))
    bound = SUITE.version(few.as_json())
    items = list(bound.generate())
    window = bound.systems()["window_16k"].build()
    predictions = [window.predict(SUITE.public_row(row)) for row in rows_of(items)]
    figures = bound.grade([item.gold for item in items], predictions).groups["condition"]
    exact = {name: each["metrics"]["exact_acc"] for name, each in figures.items()}
    assert exact["8k"] == 1.0
    assert exact["128k"] < exact["32k"] < 0.6


def test_citing_a_note_is_a_violation_and_citing_a_retraction_is_none():
    bound = SUITE.version(settings("open", "nth"))
    (item, *_) = bound.generate()
    row = item.rows[0]
    lines = {deed.op: deed.uid for deed in deeds_of(text_of(row))}
    for op, failure in (("NOTE", "cited_note"), ("RETRACT", "bloat")):
        cited = [*row["gold"]["support_ids"], lines[op]]
        report = bound.grade(
            [item.gold], [{"id": row["id"], "value": row["gold"]["value"], "support_ids": cited}]
        )
        verdict = next(each for each in report.rows if each["id"] == row["id"])
        assert verdict["failure"] == failure


def test_settings_say_what_families_cannot_have():
    for changes, field in (
        ({"max_support_k": 3}, "max_support_k"),
        ({"twins": True}, "twins"),
        ({"keys": 6}, "keys"),
        ({"near_values": 0.5}, "families"),
        ({"families": ("chain", "chain")}, "families"),
        ({"families": ("chains",)}, "families"),
    ):
        with pytest.raises(SettingsError, match=field):
            cast.config(**changes)
    plain = settings()
    for changed, field in (
        ({"ladder": None}, "ladder"),
        ({"protocol": "build"}, "protocol"),
        ({"conditions": [{"k": 4}]}, "conditions"),
        ({"distractor_profiles": ["update_burst"]}, "distractor_profiles"),
        ({"state_modes": ["kv", "set"]}, "state_modes"),
        ({"ladder": {"lengths": [512]}}, "ladder.lengths"),
    ):
        with pytest.raises(SettingsError, match=field):
            Settings.from_json(plain | changed)


def test_settings_of_before_say_nothing_of_families():
    assert not {"families", "chain_hops", "grants"} & Settings().as_json()["generator"].keys()
