"""Attackers are at chance in every preset; a version that leaks beside its text is caught by those that read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluation.attacks import running
from evaluation.attacks.goldevidence.registry import (
    ATTACKERS,
    JOINERS,
    MOST_MENTIONED,
    OF_FAMILIES,
    OF_OTHER_FORMS,
    TWIN_SEED,
    attack_plan,
)
from evaluation.attacks.report import SINGLE, AttackReport
from evaluation.attacks.running import sealed_lines
from evaluation.core.sealing import keyed_ids
from evaluation.goldevidence import public
from evaluation.goldevidence.generator.difficulty import packs
from evaluation.goldevidence.generator.fields import LATEST_REVISION
from evaluation.goldevidence.presets import PRESETS, Settings
from evaluation.goldevidence.suite import SUITE
from tests.evaluation.attacking import attacked, value_of
from tests.evaluation.goldevidence.generator.difficulty.test_packs import content, private

ORDERS = ("gold_first", "gold_middle", "gold_last", "shuffle")
#: As the preset `order_bias`, but smaller.
BIASED: dict[str, Any] = {
    "generator": {
        "episodes": 10,
        "steps": 60,
        "queries": 3,
        "keys": 8,
        "chapters": 2,
        "derived_query_rate": 0,
        "revision": LATEST_REVISION,
    },
    "conditions": [{"k": 4, "order": order} for order in ORDERS],
}

#: Profiles that no preset has.
LATER = ("update_burst", "note_camouflage", "stale_tab_state", "focus_drift")
WIDE = {"episodes": 15, "steps": 80, "queries": 2, "keys": 10, "chapters": 4, "revision": LATEST_REVISION}


def small(name: str) -> dict[str, Any]:
    """A preset reduced to few and short episodes."""
    settings = SUITE.settings.checked(SUITE.presets()[name].settings)
    generator = settings["generator"]
    generator |= {
        "episodes": 2,
        # of a short ledger a retriever shows one line of the tag mostly, and that is the right one
        "steps": generator["steps"] if name == "retriever_sanity" else min(generator["steps"], 80),
        "queries": min(generator["queries"], 3),
    }
    generator |= {"tail_distractor_steps": min(generator["tail_distractor_steps"], 20)}
    if ladder := settings.get("ladder"):
        ladder["lengths"] = [min(tokens, 4096 * (1 + n)) for n, tokens in enumerate(ladder["lengths"])]
    return settings | {"seeds": settings["seeds"][:2]}


@pytest.mark.parametrize("name", PRESETS)
def test_no_shortcut_is_above_the_ceiling_of_a_preset_and_a_parser_solves_it(name: str) -> None:
    report = attacked(SUITE, small(name))
    assert report["diagnostic"] == ""
    reworded, ladder = PRESETS[name].generator.is_reworded, PRESETS[name].ladder
    assert [each["name"] for each in report["attackers"] if each["name"] not in JOINERS] == [
        *ATTACKERS,
        *(OF_OTHER_FORMS if reworded else ()),
        *([MOST_MENTIONED.name] if ladder else []),
        *(OF_FAMILIES if PRESETS[name].generator.families else ()),
    ]
    assert value_of(report, "pack_reader" if reworded else "template_reader", "exact_acc") > 0.95
    assert "a self-reported result does not show that a model read the text" in report["claim"]


@pytest.mark.parametrize("profile", LATER)
@pytest.mark.parametrize("protocol", ["closed", "open"])
def test_no_profile_lets_a_shortcut_reach_more_than_standard_distractors_do(
    profile: str, protocol: str
) -> None:
    def report(name: str) -> Any:
        settings = {"generator": WIDE, "state_modes": ["kv", "kv_commentary"], "protocol": protocol}
        conditions = BIASED["conditions"] if protocol == "closed" else []
        return attacked(SUITE, settings | {"distractor_profiles": [name], "conditions": conditions})

    found, standard = report(profile), report("standard")
    assert found["diagnostic"] == ""
    assert value_of(found, "template_reader", "exact_acc") == 1.0
    for attacker in ("last_line", "position_reader", "id_reader", "name_reader", "random_line"):
        limit = value_of(standard, attacker, "exact_acc") + 0.12  # an interval of 120 rows
        assert value_of(found, attacker, "exact_acc") < limit, attacker


def test_sentences_are_read_by_no_grammar_and_by_no_list_of_words() -> None:
    report = attacked(SUITE, small("prose") | {"attack_limits": []})
    assert value_of(report, "template_reader", "exact_acc") == 0.0
    assert value_of(report, "last_mention", "exact_acc") < 0.2
    assert value_of(report, "keyword_reader", "exact_acc") < 0.5
    assert report["claim"].startswith(
        "Its sentences come from a pack (a set of templates) in our source code"
    )
    assert "Parsers of its pack score 100.0% in “Exact”" in report["claim"]


def test_a_pack_of_the_operator_is_not_read_by_attackers_that_know_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = private(tmp_path, monkeypatch, content())
    settings = small("prose")
    settings["generator"] |= {"pack": "mine", "pack_sha256": digest}
    report = attacked(SUITE, settings)
    assert value_of(report, "pack_reader", "exact_acc") == 0.0
    assert report["claim"] == ""


def test_a_pack_of_the_operator_that_copies_the_source_is_said_to_be_like_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = private(tmp_path, monkeypatch, Path(packs.__file__).with_name("harbour.json").read_bytes())
    settings = small("prose")
    settings["generator"] |= {"pack": "mine", "pack_sha256": digest}
    report = attacked(SUITE, settings)
    assert report["claim"].startswith(
        "Its sentences come from a pack (a set of templates) outside our source code, but resemble those of the pack"
    )
    assert "Parsers of the pack in the source code score 100.0% in “Exact”" in report["claim"]


def test_an_id_that_tells_the_condition_is_read_by_the_id_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    named = public.named

    def telling(unit: str, rows: Any, key: str, **protocol: Any) -> Any:
        known = list(rows)
        name, renamed = named(unit, known, key, **protocol)
        splits = [row["meta"].get("condition", "") for row in known]
        digits = [next((n for n, order in enumerate(ORDERS) if split.endswith(order)), 9) for split in splits]
        return name, [
            {**row, "id": f"{row['id'][:-1]}{digit}"} for row, digit in zip(renamed, digits, strict=True)
        ]

    sealed = attacked(SUITE, BIASED)
    monkeypatch.setattr(public, "named", telling)
    leaking = attacked(SUITE, BIASED)
    assert all(
        keyed_ids.is_keyed(f"r{digit:012x}") for digit in range(4)
    )  # the form of the ids shows nothing
    assert (
        value_of(leaking, "id_reader", "selection_rate")
        > 0.75
        > value_of(sealed, "id_reader", "selection_rate")
    )
    assert sealed["diagnostic"] == ""
    assert leaking["diagnostic"].startswith("the attacker program “id reader” scores ")
    assert value_of(leaking, "position_reader", "selection_rate") < 0.5


def test_an_order_that_tells_is_read_by_the_position_reader() -> None:
    report = attacked(SUITE, BIASED | {"conditions": [{"k": 4, "order": "gold_first"}]})
    assert value_of(report, "position_reader", "selection_rate") == 1.0
    assert "scores 100.0% in" in report["diagnostic"]


def test_metadata_that_tells_is_read_by_the_name_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    public_row = public.public_row

    def telling(row: Any, *, labels: bool) -> Any:
        shown = public_row(row, labels=labels)
        return shown | {"meta": shown["meta"] | {"condition": row["meta"].get("condition")}}

    monkeypatch.setattr(public, "public_row", telling)
    report = attacked(SUITE, BIASED)
    assert value_of(report, "name_reader", "selection_rate") > 0.75
    assert "“name reader”" in report["diagnostic"]


def test_a_ceiling_that_the_preset_declares_holds_for_guesses_too() -> None:
    limits = [{"metric": "selection_rate", "floor": 0.05, "ceiling": 0.1}]
    report = attacked(SUITE, BIASED | {"attack_limits": limits})
    [measure] = [each for each in report["measures"] if each["metric"] == "selection_rate"]
    assert (measure["floor"], measure["ceiling"], measure["declared"]) == (0.05, 0.1, True)
    assert "above the ceiling of 10.0%" in report["diagnostic"]


def test_undeclared_limits_are_in_no_settings() -> None:
    assert "attack_limits" not in Settings().as_json()
    declared = Settings.from_json({"attack_limits": [{"metric": "exact_acc", "ceiling": 0.2}]})
    assert Settings.from_json(declared.as_json()) == declared


def test_the_twin_has_the_version_s_settings_and_a_seed_of_no_preset() -> None:
    for settings in PRESETS.values():
        twin = Settings.from_json(attack_plan(settings).twin)
        assert twin.seeds == (TWIN_SEED,)
        assert TWIN_SEED not in settings.seeds
        assert (twin.conditions, twin.state_modes) == (settings.conditions, settings.state_modes)


def test_of_a_large_version_so_many_rows_are_graded_as_hold_a_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = attacked(SUITE, BIASED)
    monkeypatch.setattr(running, "GRADED_ROWS", 120)
    part = attacked(SUITE, BIASED)
    assert (
        abs(
            value_of(whole, "random_line", "selection_rate") - value_of(part, "random_line", "selection_rate")
        )
        < 0.2
    )
    assert value_of(part, "template_reader", "exact_acc") == 1.0


def test_the_value_that_is_said_most_often_is_found_in_a_long_log() -> None:
    settings = small("ladder_short")
    [attacker] = [
        each for each in attack_plan(Settings.from_json(settings)).attackers if each is MOST_MENTIONED
    ]
    lines, gold = sealed_lines(SUITE, SUITE.version(settings).generate())
    said = 0
    for line, (row, _) in zip(lines, gold, strict=True):
        (answer,) = attacker.build([])(line)
        if answer["value"] is not None and row["meta"]["query_type"] == "direct":
            counts = [
                line.row["document"].count(f"{row['meta']['key']} = {value}")
                for value in (answer["value"], row["gold"]["value"])
            ]
            assert counts[0] >= counts[1] > 0 or row["gold"]["value"] is None
            said += 1
    assert said


def test_attackers_of_a_ladder_of_long_texts_learn_from_short_ones() -> None:
    twin = attack_plan(PRESETS["ladder_long"]).twin
    assert twin["ladder"]["lengths"] == [8192]
    assert attack_plan(PRESETS["ladder"]).twin["ladder"]["lengths"] == [2048]
    assert "ladder" not in attack_plan(PRESETS["standard"]).twin


#: Ten episodes as presets were before texts were disguised: orders of four lines, and rows of which some lost the gold.
JOINABLE: dict[str, Any] = {
    "generator": BIASED["generator"] | {"revision": 2, "distractor_profile": "standard"},
    "conditions": [
        *(
            {"k": 4, "order": order, "rest": rest, "exact": True, "other_keys": 1}
            for order in ORDERS[:3]
            for rest in ("ascending", "descending", "shuffled")
        ),
        *({"k": 4, "exact": True, "drop_prob": drop, "name": f"lost-{drop}"} for drop in (0.2, 0.3)),
    ],
}
LADDER: dict[str, Any] = {
    "protocol": "open",
    "generator": {"episodes": 8, "keys": 5, "queries": 3, "chapters": 4, "twins": False, "revision": 2},
    "ladder": {"lengths": [1024, 2048, 4096], "writes": [2, 3]},
}


def single(report: AttackReport, metric: str) -> float:
    """The highest value of a guess or shortcut."""
    named = [each["name"] for each in report["attackers"] if each["role"] in SINGLE]
    return max(value_of(report, name, metric) for name in named)


def disguised(settings: dict[str, Any]) -> dict[str, Any]:
    """The same settings with disguised texts."""
    return settings | {"generator": settings["generator"] | {"revision": LATEST_REVISION}}


def test_rows_that_share_ids_are_joined_by_each_joiner_and_disguised_ones_by_none() -> None:
    before, now = attacked(SUITE, JOINABLE), attacked(SUITE, disguised(JOINABLE))
    #: What each reaches; measured: .958, .922, .782, .708 and .994, and .497 by the learner of single rows.
    reached = {
        "joined_by_ids": 0.9,
        "joined_by_words": 0.85,
        "differences": 0.7,
        "missing_lines": 0.65,
        "joined_learner": 0.9,
    }
    assert single(before, "selection_rate") < 0.55
    for name, least in reached.items():
        assert value_of(before, name, "selection_rate") > least, name
        assert value_of(now, name, "selection_rate") < single(now, "selection_rate") + 0.05, name
    assert before["diagnostic"].endswith("above the best program that sees one row at a time)")
    assert before["joins"].startswith("Rows can be joined: they share ids and values, and the candidates of")
    assert (now["diagnostic"], now["joins"]) == ("", "")


def test_a_short_text_answers_longer_ones_where_they_share_ids() -> None:
    before, now = attacked(SUITE, LADDER), attacked(SUITE, disguised(LADDER))
    assert value_of(before, "carried", "exact_acc") > single(before, "exact_acc") + 0.3
    assert "the same facts occur in texts of several lengths" in before["joins"]
    assert value_of(now, "carried", "exact_acc") < single(now, "exact_acc") + 0.05
    assert value_of(now, "carried_by_structure", "exact_acc") == 1.0, "a parser links by structure"
    assert now["diagnostic"] == ""


def test_joiners_reach_the_same_each_time() -> None:
    assert attacked(SUITE, LADDER) == attacked(SUITE, LADDER)
