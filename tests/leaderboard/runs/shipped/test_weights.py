"""Files of shipped models: found in their package, or beside the table, or requantized once by llama.cpp."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters.llama import model_file
from leaderboard.runs.shipped import MODELS, SYSTEMS, weights
from leaderboard.submissions.models import System
from tests.leaderboard.runs.gguf import tiny_model

pytestmark = pytest.mark.llama


def test_every_model_has_a_file_and_a_card_of_fields_that_a_system_has() -> None:
    fields = {field.name for field in System._meta.get_fields()}
    for model in MODELS.values():
        assert set(model.card) <= fields
        assert weights.path(replace(model, quantization="")).is_file()
    assert {system.model.slug for system in SYSTEMS} == set(MODELS)


def test_a_model_that_is_not_installed_is_named_with_what_to_do() -> None:
    for missing in ({"package": "no_such_package"}, {"file": "no-such.gguf"}):
        with pytest.raises(weights.NoModelError, match="make demo-models"):
            weights.path(replace(MODELS["smollm2-135m"], **missing))


def test_weights_are_requantized_once_and_are_then_of_that_type(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path
    source = tiny_model(tmp_path)
    made = weights.requantized(source, "Q4_0")
    written = made.stat().st_mtime_ns
    assert weights.requantized(source, "Q4_0") == made
    assert made.stat().st_mtime_ns == written
    assert model_file.sha256(made) != model_file.sha256(source)
    assert model_file.describe(made).quantization == "Q4_0"
    assert [path.name for path in made.parent.iterdir()] == [made.name]


def test_a_type_that_llama_cpp_has_not_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(weights.NoModelError, match="'Q9_9'"):
        weights.requantized(tiny_model(tmp_path), "Q9_9")
