"""Mistakes as training data: their forms, and that a selector learns from them."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from evaluation.core import jsonl
from evaluation.goldevidence.conditions.rows import shown_entries
from evaluation.goldevidence.mistakes import training
from evaluation.goldevidence.mistakes.reading import mistakes
from evaluation.goldevidence.presets import PRESETS
from evaluation.goldevidence.selectors import get_selector
from evaluation.goldevidence.selectors.export import Example
from evaluation.goldevidence.selectors.linear import LinearSelector, train
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.registry import get_system
from tests.evaluation.goldevidence.mistakes.cast import answer_of, rows_of, written
from tests.records import faults


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The mistakes of answers of every kind, in the modes with most kinds of lines."""
    rows = [row for mode in ("kv_commentary", "relational") for row in rows_of(mode, seed=11)]
    rows = [{**row, "id": f"{row['meta']['state_mode']}-{row['id']}"} for row in rows]
    folder = tmp_path_factory.mktemp("mistakes")
    return list(mistakes(*written(folder, rows, [answer_of(row, 11) for row in rows])))


def by_row(found: list[Any]) -> list[Any]:
    return [next(of_row) for _, of_row in groupby(found, lambda each: each["id"])]


def test_a_pair_prefers_what_its_own_prompt_establishes(found: list[Any]) -> None:
    pairs = [(each, training.preference(each)) for each in by_row(found)]
    assert sum(pair is not None for _, pair in pairs) > 60
    for each, pair in pairs:
        if pair is None:
            continue
        assert faults(json.loads(json.dumps(pair)), training.Preference) == []
        chosen, rejected = json.loads(pair["chosen"]), json.loads(pair["rejected"])
        assert chosen != rejected
        assert each["question"] in pair["prompt"]
        assert all(f"[{uid}]" in pair["prompt"] for uid in chosen["support_ids"])
        assert rejected["value"] == each["answer"]["value"]
        if chosen["support_ids"]:
            assert chosen == each["right"]


def test_triplets_have_the_right_line_and_others_the_chosen_one_first(found: list[Any]) -> None:
    seen = 0
    for each in by_row(found):
        made = list(training.triplets(each))
        for triplet in made:
            assert list(triplet) == ["anchor", "positive", "negative"]
            assert triplet["positive"] != triplet["negative"]
            assert "\n" not in triplet["anchor"]
            assert each["right"]["support_ids"][0] in triplet["positive"]
        if made and "wrong_selection" in each["kinds"]:
            assert each["chosen"]["uid"] in made[0]["negative"]
        assert len(made) <= training.MOST_NEGATIVES
        seen += bool(made)
    assert seen > 20


def test_a_retrieval_miss_has_the_line_that_was_not_shown_as_positive(found: list[Any]) -> None:
    missed = [each for each in by_row(found) if "retrieval_miss" in each["kinds"]]
    assert missed
    for each in missed:
        (line,) = each["missed"]
        assert line["uid"] not in {shown["uid"] for shown in each["shown"]}
        assert all(line["uid"] in triplet["positive"] for triplet in training.triplets(each))


def test_labels_say_whether_there_was_something_to_answer(found: list[Any]) -> None:
    labels = [(each, label) for each in by_row(found) if (label := training.label(each)) is not None]
    assert {label["label"] for _, label in labels} == {"answer", "abstain"}
    for each, label in labels:
        shown = {line["uid"] for line in each["shown"]}
        established = bool(each["right"]["support_ids"]) and set(each["right"]["support_ids"]) <= shown
        assert label["label"] == ("answer" if established else "abstain")


def test_records_and_examples_survive_a_file(found: list[Any], tmp_path: Path) -> None:
    records = [{**each, "training": training.learnt(each)} for each in found]
    jsonl.write(tmp_path / "records.jsonl", records)
    read_back = list(jsonl.read(tmp_path / "records.jsonl"))
    assert read_back == json.loads(json.dumps(records))
    made = [each for mistake in by_row(read_back) if (each := training.example(mistake)) is not None]
    assert made
    assert all(faults(each, Example) == [] for each in made)
    assert isinstance(train(made, epochs=1), LinearSelector)


def test_surrogates_in_an_answer_reach_no_file(tmp_path: Path) -> None:
    row = next(row for row in rows_of(seed=1) if row.get("candidates") is not None)
    data, predictions = tmp_path / "rows.jsonl", tmp_path / "answers.jsonl"
    jsonl.write(data, [row])
    predictions.write_text(json.dumps({"id": row["id"], "value": "\ud800", "support_ids": ["\ud801"]}))
    for each in mistakes(data, predictions):
        jsonl.dumps({**each, "training": training.learnt(each)})


def version(preset: str, seeds: list[int]) -> list[Any]:
    settings = SUITE.settings.checked(PRESETS[preset].as_json() | {"seeds": seeds})
    return [row for item in SUITE.version(settings).generate() for row in item.rows]


def selection_rate(selector: Any, rows: list[Any]) -> float:
    """How often the gold line is chosen, of rows that show it."""
    asked = [
        row for row in rows if row.get("candidates") and row["gold"]["present"] and row["gold"]["support_ids"]
    ]
    chosen = [selector(shown_entries(row), row["question"], row["meta"]["key"]) for row in asked]
    hits = [entry.uid == row["gold"]["support_ids"][0] for entry, row in zip(chosen, asked, strict=True)]
    return sum(hits) / len(hits)


@pytest.mark.parametrize(
    ("preset", "rule"), [("authority_short", "latest_step"), ("standard_short", "prefer_set_latest")]
)
def test_a_selector_that_learns_from_a_rules_rows_beats_the_rule_on_others(
    preset: str, rule: str, tmp_path: Path
) -> None:
    """A selector that learns from the mistakes alone does not: it learns to avoid the choices of the rule."""
    rows, system = version(preset, [1]), get_system(rule).build()
    files = written(tmp_path, rows, [system.predict(row) for row in rows])

    def learnt(*, with_right: bool) -> LinearSelector:
        lines = by_row(list(mistakes(*files, with_right=with_right)))
        return train([each for line in lines if (each := training.example(line)) is not None])

    held_out = version(preset, [901])
    before = selection_rate(get_selector(rule), held_out)
    assert selection_rate(learnt(with_right=True), held_out) > before + 0.03
    assert selection_rate(learnt(with_right=False), held_out) < before
