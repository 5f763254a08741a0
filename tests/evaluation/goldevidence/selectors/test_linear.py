"""The linear selector: its file format, its features, its training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError, RowError
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.selectors.linear import (
    FEATURES,
    feature_matrix,
    load,
    parse,
    save,
    shipped,
    train,
)
from tests.reference import reference_path

SHOWN = [
    Entry("U000001", 10, "SET", "tag.00", "amber-0001"),
    Entry("U000002", 20, "NOTE", "tag.00", "jade-0002"),
    Entry("U000003", 40, "CLEAR", "tag.00", None),
]


def example(correct: str = "U000001", **fields: Any) -> dict[str, Any]:
    return {
        "question": "What is the value of tag.00?",
        "key": "tag.00",
        "correct_uid": correct,
        "gold_present": True,
        "candidates": [entry._asdict() for entry in SHOWN],
    } | fields


def test_features_scale_steps_and_positions_among_the_candidates() -> None:
    columns = dict(zip(FEATURES, feature_matrix(SHOWN, "the value of tag.00 jade", "tag.00").T, strict=True))
    assert columns["step_norm"].tolist() == [0.25, 0.5, 1.0]
    assert columns["step_delta_norm"].tolist() == [0.75, 0.5, 0.0]
    assert columns["is_latest_step"].tolist() == [0, 0, 1]
    assert columns["recency_rank_norm"].tolist() == [1.0, 0.5, 0.0]
    assert columns["pos_norm"].tolist() == [0.0, 0.5, 1.0]
    assert columns["is_note"].tolist() == [0, 1, 0]
    assert columns["is_update"].tolist() == [1, 0, 1]
    assert columns["key_in_question"].tolist() == [1, 1, 1]
    assert columns["value_token_overlap"].tolist() == [0.0, 0.5, 0.0]


def test_a_single_candidate_has_finite_features() -> None:
    assert np.isfinite(feature_matrix(SHOWN[:1], "", "")).all()
    assert feature_matrix([], "", "").shape == (0, 18)


def test_a_saved_selector_loads_as_it_was(tmp_path: Path) -> None:
    selector = train([example(), example("U000003")] * 3)
    save(selector, tmp_path / "model.json")
    assert load(tmp_path / "model.json").weights.tolist() == selector.weights.tolist()
    assert json.loads((tmp_path / "model.json").read_text())["feature_order"] == list(FEATURES)


def test_a_file_of_16_features_is_read_and_the_others_weigh_nothing() -> None:
    selector = parse(
        {
            "feature_order": [
                name for name in FEATURES if name not in ("is_latest_step", "recency_rank_norm")
            ],
            "weights": [1.0] * 16,
        }
    )
    weights = dict(zip(FEATURES, selector.weights, strict=True))
    assert weights["is_latest_step"] == weights["recency_rank_norm"] == 0.0
    assert sum(selector.weights) == 16.0


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"feature_order": ["bias", "is_shiny"], "weights": [1, 2]}, "unknown features: is_shiny"),
        ({"feature_order": ["bias"], "weights": [1, 2]}, "a list of 1 numbers"),
        ({"feature_order": ["bias"], "weights": ["x"]}, "must be a finite number"),
        ({"feature_order": ["bias"], "weights": [True]}, "must be a finite number"),
        ({"feature_order": ["bias"], "weights": [float("nan")]}, "must be a finite number"),
        ({"feature_order": ["bias"], "weights": [10**400]}, "must be a finite number"),
        ({"feature_order": ["bias", "bias"], "weights": [1, 2]}, "names a feature twice"),
        ({"feature_order": [["bias"]], "weights": [1]}, "unknown features"),
        ({"feature_order": ["bias"], "weights": [1], "meta": 5}, "`meta` must be an object"),
        ([1], "a JSON object with feature_order"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_with_the_reason(tmp_path: Path, data: Any, message: str) -> None:
    (tmp_path / "model.json").write_text(json.dumps(data))
    with pytest.raises(BenchmarkError, match=message):
        load(tmp_path / "model.json")


def test_training_reaches_the_selection_rates_of_the_reference() -> None:
    manifest = orjson.loads(reference_path("gold/manifest.json").read_bytes())
    for case in manifest["selector"]["training"]:
        selector = train(jsonl.read(reference_path(f"gold/{case['data']}")))
        for name in ("train_selection_rate", "test_selection_rate"):
            assert selector.meta[name] == pytest.approx(case["meta"][name], abs=1e-9)
        for name in ("train_examples", "test_examples", "epochs", "lr", "note_penalty"):
            assert selector.meta[name] == case["meta"][name]


def test_training_gives_the_same_weights_twice() -> None:
    examples = [example(), example("U000003")] * 5
    assert train(examples, seed=4).weights.tolist() == train(examples, seed=4).weights.tolist()


def test_a_note_penalty_unlearns_notes_that_are_labelled_correct() -> None:
    note = [name == "is_note" for name in FEATURES]
    examples = [example("U000002")] * 10
    assert train(examples, note_penalty=1.0).weights[note] < 0 < train(examples).weights[note]


def test_examples_that_do_not_show_their_correct_line_are_left_out() -> None:
    with pytest.raises(BenchmarkError, match="at least two examples"):
        train([example(), example(gold_present=False), example("U999999")])


def test_the_shipped_selector_prefers_authority_to_recency() -> None:
    later_note = Entry("U000009", 12, "NOTE", "tag.00", "ochre-0009")
    assert shipped()([*SHOWN[:1], later_note], "What is the value of tag.00?", "tag.00") == SHOWN[0]


def test_a_row_that_is_no_example_is_named() -> None:
    with pytest.raises(RowError, match="not an exported example") as refused:
        train([example(), {"gold_present": True}])
    assert refused.value.line == 2


def test_a_learning_rate_that_runs_away_is_refused() -> None:
    with pytest.raises(BenchmarkError, match="too large"), np.errstate(all="ignore"):
        train([example(), example("U000003")] * 5, lr=1e308)
