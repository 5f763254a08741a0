"""Difficulties: properties of every episode, under many settings."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.errors import SettingsError
from evaluation.goldevidence import GeneratorConfig, generate
from evaluation.goldevidence.data.case import case_of
from evaluation.goldevidence.data.entailment import entails
from evaluation.goldevidence.data.ledger import AUTHORITATIVE, parse_book, parse_log
from evaluation.goldevidence.data.rubrics import RUBRICS
from evaluation.goldevidence.data.shown import ShownReader, held_by
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.modes import MODES
from evaluation.goldevidence.presets import Settings
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.registry import get_system

STRICT = RUBRICS["strict"]
rates = st.sampled_from([0.0, 0.3, 1.0])
SMALL = {"episodes": 2, "steps": 40, "keys": 6, "queries": 6, "chapters": 3, "revision": 2}
PROSE = {"wording": "prose", "book_ledger": False}
EACH: dict[str, dict[str, Any]] = {
    "aliases": {"aliases": 0.6},
    "indirect": {"indirect_rate": 1.0},
    "near values": {"near_values": 0.8},
    "unsorted ledger": {"unsorted_ledger": True},
    "no ledger": {"book_ledger": False},
    "prose": PROSE,
    "all": PROSE | {"aliases": 0.6, "indirect_rate": 0.6, "near_values": 0.5},
}


@st.composite
def difficult(draw: st.DrawFn) -> GeneratorConfig:
    """Settings with any compatible difficulties."""
    steps, ledger = draw(st.integers(4, 50)), draw(st.booleans())
    prose = not ledger and draw(st.booleans())
    return GeneratorConfig(
        episodes=1,
        steps=steps,
        keys=draw(st.sampled_from([1, 2, 6, 120])),
        queries=draw(st.integers(1, 6)),
        chapters=draw(st.integers(1, min(steps, 5))),
        tail_distractor_steps=draw(st.integers(0, steps - 1)),
        distractor_rate=draw(rates),
        clear_rate=draw(st.sampled_from([0.0, 0.1, 0.5])),
        note_rate=draw(rates),
        state_mode=draw(st.sampled_from(list(MODES))),
        distractor_profile=draw(st.sampled_from(list(PROFILES))),
        revision=2,
        aliases=draw(rates),
        indirect_rate=draw(rates),
        near_values=draw(rates),
        unsorted_ledger=ledger and draw(st.booleans()),
        book_ledger=ledger,
        wording="prose" if prose else "published",
    )


def version(generator: GeneratorConfig | dict[str, Any], protocol: str = "closed", **more: Any) -> Any:
    """The settings of a version."""
    settings = generator.as_json() if isinstance(generator, GeneratorConfig) else generator
    return SUITE.settings.checked({"generator": settings, "protocol": protocol, **more})


def oracle_metrics(chosen: Any) -> Any:
    """The metrics of the reference system `ledger` on public rows."""
    items = list(SUITE.version(chosen).generate())
    oracle, predictions = get_system("ledger").build(), list[Any]()
    for item in items:
        for row in item.rows:
            answered: Any = oracle.predict(SUITE.public_row(row))  # type: ignore[arg-type]
            predictions += answered if isinstance(answered, list) else [answered]
    return SUITE.version(chosen).grade((item.gold for item in items), predictions).metrics


@settings(max_examples=60, deadline=None)
@given(config=difficult(), seed=st.integers(0, 2**63 - 1), protocol=st.sampled_from(["closed", "open"]))
def test_the_oracle_is_right_on_what_the_row_shows(config: GeneratorConfig, seed: int, protocol: str) -> None:
    metrics = oracle_metrics(version(config, protocol, seeds=[seed]))
    assert (metrics["exact_acc"], metrics["value_acc"]) == (1.0, 1.0)


@settings(max_examples=60, deadline=None)
@given(config=difficult(), seed=st.integers(0, 2**63 - 1))
def test_the_gold_lines_entail_the_answer_and_claims_without_authority_never_do(
    config: GeneratorConfig, seed: int
) -> None:
    for row in generate(config, seed):
        case, shown = case_of(row), ShownReader(STRICT)(row)
        support = [shown.line(uid) for uid in case.gold_ids]

        def follows(value: str | None, lines: Any, case: Any = case) -> bool:
            return entails(case, value, lines, latest_only=True, establishes=STRICT.establishes)

        assert follows(case.gold, support)
        for entry in shown.entries():
            if entry.op not in AUTHORITATIVE and entry.value is not None:
                assert not follows(entry.value, [entry[1:]])


@settings(max_examples=40, deadline=None)
@given(config=difficult(), seed=st.integers(0, 2**63 - 1))
def test_every_id_that_may_be_cited_stands_in_both_texts_once_as_a_line(
    config: GeneratorConfig, seed: int
) -> None:
    for row in generate(config, seed):
        uids = [entry.uid for entry in ShownReader(STRICT)(row).entries()]
        assert len(set(uids)) == len(uids)
        for text in (row["document"], row["book"]):
            assert all(text.count(f"[{uid}] ") + text.count(f"({uid})") == 1 for uid in uids)


@settings(max_examples=40, deadline=None)
@given(config=difficult(), seed=st.integers(0, 2**63 - 1))
def test_a_twin_differs_in_its_flips_and_pairs_ask_alike(config: GeneratorConfig, seed: int) -> None:
    rows = [row for row in generate(config, seed) if "twin_group" in row["meta"]]
    for _, pair in groupby(sorted(rows, key=lambda row: row["meta"]["q_index"]), _number):
        base, twin = sorted(pair, key=lambda row: row["meta"]["twin_variant"])
        assert base["question"] == twin["question"]
        assert base["meta"].get("asked_as") == twin["meta"].get("asked_as")
        if base["meta"]["key"] in base["meta"]["twin_flip_keys"]:
            assert base["gold"]["value"] != twin["gold"]["value"]
        before, after = base["document"].splitlines(), twin["document"].splitlines()
        changed = [number for number, line in enumerate(before) if after[number] != line]
        assert len(before) == len(after)
        assert len(changed) == len(base["meta"]["twin_flip_uids"])


def _number(row: Any) -> int:
    return int(row["meta"]["q_index"])


@pytest.mark.parametrize("name", EACH)
def test_a_public_row_says_no_more_than_its_text(name: str) -> None:
    chosen = version(SMALL | EACH[name] | {"distractor_profile": "instruction_suite"})
    for item in SUITE.version(chosen).generate():
        for row in item.rows:
            public = SUITE.public_row(row)
            assert list(SUITE.overtold(public)) == []
            assert "gold" not in public
            assert ("key" in public["meta"]) == (f" {row['meta']['key']}" in row["question"].split("\n")[0])  # type: ignore[index]


@pytest.mark.parametrize("name", EACH)
def test_the_same_settings_and_seed_make_the_same_rows(name: str) -> None:
    assert list(generate(SMALL | EACH[name], 5)) == list(generate(SMALL | EACH[name], 5))
    assert list(generate(SMALL | EACH[name], 5)) != list(generate(SMALL | EACH[name], 6))


@pytest.mark.parametrize("name", ["no ledger", "prose"])
def test_under_build_the_scribe_of_the_oracle_reads_every_wording(name: str) -> None:
    chosen = version(SMALL | EACH[name], "build", state_modes=["kv", "set"])
    assert oracle_metrics(chosen)["exact_acc"] == 1.0


def test_an_unsorted_ledger_holds_the_lines_of_the_log_in_another_order() -> None:
    for row in generate(SMALL | EACH["unsorted ledger"], 3):
        log, book = parse_log(row["document"]), parse_book(row["book"])
        assert sorted(log) == sorted(book)
        assert log != book


def test_near_values_differ_from_the_one_before_in_one_character() -> None:
    rows = list(generate(SMALL | {"near_values": 1.0, "distractor_rate": 0.0, "clear_rate": 0.0}, 3))
    held: dict[str, str] = {}
    for entry in parse_log(rows[0]["document"]):
        assert entry.value is not None
        if before := held.get(entry.key):
            assert sum(a != b for a, b in zip(before, entry.value, strict=True)) == 1
        held[entry.key] = entry.value


def test_a_book_without_a_ledger_has_none_and_its_rules_say_what_holds() -> None:
    for row in generate(SMALL | EACH["no ledger"], 3):
        assert "## State Ledger" not in row["book"]
        assert "The chapters are the record" in row["book"]
        assert "was set to" in row["book"]


def test_answers_may_cite_what_a_public_row_carries_and_rows_say_how_far_back_it_lies() -> None:
    chosen = version(SMALL | EACH["all"])
    for item in SUITE.version(chosen).generate():
        held = {name: set(ids.split()) for row in item.rows for name, ids in held_by(SUITE.public_row(row))}
        for name, ids in held_by(item.gold):
            assert set(ids.split()) == held[name]
        for row in item.rows:
            meta: Any = row["meta"]
            assert (meta["writes_to_key"] is None) == (meta["tokens_since_update"] is None)


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"aliases": 0.5, "revision": 1}, "revision", "must be 2"),
        ({"wording": "prose"}, "book_ledger", "must be false under prose"),
        ({"book_ledger": False, "unsorted_ledger": True}, "unsorted_ledger", "no effect"),
        ({"pack": "mine"}, "pack", "only with the wording 'prose'"),
        (PROSE | {"pack": "mine"}, "pack_sha256", "is required for a pack"),
        (PROSE | {"pack": "../mine"}, "pack", "lower-case letters, digits"),
        (PROSE | {"pack_sha256": "abc"}, "pack_sha256", "64 hexadecimal digits"),
        ({"wording": "verse"}, "wording", "must be one of published, prose"),
    ],
)
def test_difficulties_that_do_not_go_together_are_refused_by_name(
    changes: dict[str, Any], field: str, message: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        GeneratorConfig.from_json(SMALL | changes)
    assert list(caught.value.fields) == [field]
    assert message in caught.value.fields[field][0]


def test_candidates_and_build_are_refused_where_they_could_not_be_answered() -> None:
    for changes in ({"aliases": 0.5}, {"indirect_rate": 0.5}, PROSE):
        with pytest.raises(SettingsError, match="conditions: must be empty"):
            Settings.from_json({"generator": SMALL | changes, "conditions": [{"k": 2}]})
    with pytest.raises(SettingsError, match="questions are asked without the log"):
        Settings.from_json({"generator": SMALL | {"indirect_rate": 0.5}, "protocol": "build"})


def test_settings_without_difficulties_are_written_as_before() -> None:
    assert not GeneratorConfig().as_json().keys() & {"aliases", "wording", "pack", "book_ledger"}
    assert GeneratorConfig.from_json(SMALL | PROSE).as_json()["wording"] == "prose"


@pytest.mark.parametrize("name", EACH)
def test_a_version_says_its_difficulties(name: str) -> None:
    facts = dict(Settings.from_json({"generator": SMALL | EACH[name]}).describe())
    assert len(facts["Difficulty"]) > 20
    assert "Difficulty" not in dict(Settings.from_json({"generator": SMALL}).describe())
