"""A draft model saves work and leaves the output the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters import load_adapter
from evaluation.adapters.forms import Fixed, Form, Prose
from evaluation.adapters.llama.engine import Engine, EngineSettings
from evaluation.adapters.llama.writing.drafting import DRAFTED, Draft
from evaluation.adapters.llama.writing.writer import Task, Writer
from evaluation.core.errors import AdapterError, SettingsError
from evaluation.core.rng import Stream
from tests.evaluation.conftest import make_row
from tests.tiny_gguf import MERGES, write_tiny_gguf

pytestmark = pytest.mark.llama
SETTINGS = EngineSettings(context=512, batch=64, threads=1)
FORMS: dict[str, Form] = {
    "prose": (Prose(24),),
    "prose and what follows": (Prose(9), Fixed(" and so on: "), Prose(9)),
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    engine = Engine(str(write_tiny_gguf(tmp_path_factory.mktemp("m") / "m.gguf")), SETTINGS)
    yield engine
    engine.close()


def drafting(tmp_path: Path, seed: int, **more: object) -> Engine:
    return Engine(str(write_tiny_gguf(tmp_path / "draft.gguf", seed=seed, **more)), SETTINGS)  # type: ignore[arg-type]


def written(engine: Engine, form: Form, draft: Draft | None) -> list[Task]:
    tasks = [Task(engine.tokenize(f"Question {number}: "), form, Stream("s")) for number in range(3)]
    engine.cut(0)
    Writer(engine, draft=draft).write(tasks)
    return tasks


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("seed", [0, 1], ids=["one that agrees", "one that does not"])
def test_with_a_draft_model_the_same_is_written(
    engine: Engine, tmp_path: Path, form: Form, seed: int
) -> None:
    plain = written(engine, form, None)
    drafted = written(engine, form, Draft(drafting(tmp_path, seed), engine))
    assert [task.text for task in drafted] == [task.text for task in plain]
    assert [task.usage.generated_tokens for task in drafted] == [
        task.usage.generated_tokens for task in plain
    ]


def test_drafts_that_hold_save_passes(engine: Engine, tmp_path: Path) -> None:
    form = FORMS["prose"]
    plain = written(engine, form, None)[0].usage
    drafted = written(engine, form, Draft(drafting(tmp_path, 0), engine))[0].usage
    assert drafted.passes <= plain.passes / (DRAFTED / 2)


def test_a_draft_model_of_other_tokens_is_refused(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="tokens differ from the model's"):
        Draft(drafting(tmp_path, 0, merges=MERGES[:-1]), engine)


def test_rows_are_answered_alike_with_and_without_a_draft_model(tiny_model: Path, tmp_path: Path) -> None:
    draft = write_tiny_gguf(tmp_path / "draft.gguf", seed=3)
    rows = [make_row(number) for number in range(3)]
    values = {"model": str(tiny_model), "context": 4096, "threads": 1, "max_value_chars": 8}
    told: list[list[Any]] = []
    for more in ({}, {"draft_model": str(draft)}):
        adapter = load_adapter("llama_cpp", values | more)
        told.append([adapter.predict(row, protocol="closed_book") for row in rows])
        provenance = adapter.provenance()
        assert ("draft_model" in provenance) == bool(more)
        adapter.close()
    assert told[0] == told[1]
    with pytest.raises(SettingsError, match=r"needs temperature=0 and parallel=1"):
        load_adapter("llama_cpp", {**values, "draft_model": str(draft), "temperature": 0.5})
    with pytest.raises(SettingsError, match=r"draft_model: must be a different file than model"):
        load_adapter("llama_cpp", {**values, "draft_model": str(tiny_model)})
