"""A trained learner as a system: it answers frozen rows, states its origin, and hides its seeds."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from evaluation.adapters import load_adapter, trained_files
from evaluation.core.errors import BenchmarkError
from evaluation.core.suite import get_suite
from evaluation.gym import Frozen
from evaluation.gym.learners import LEARNERS, get_learner
from evaluation.gym.learners.adapter import count_weights
from evaluation.gym.loop.running import Loop, LoopSettings

SEED, UNSEEN = 2**40, 2**41


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The path of each learner, trained for a round."""
    paths = {}
    for name in LEARNERS:
        folder = tmp_path_factory.mktemp(name)
        loop = Loop(folder, LoopSettings(name, SEED, UNSEEN, rounds=1, tasks=24, unseen=8), Frozen())
        loop.run()
        loop.keep_trained(folder / "trained.json", "loop 7")
        paths[name] = folder / "trained.json"
    return paths


@pytest.fixture(scope="module")
def records():
    suite = get_suite("goldevidence")
    made = [
        item
        for name in ("smoke", "triage")
        for item in islice(suite.version(suite.presets()[name].settings).generate(), 2)
    ]
    return [row for item in made for row in item.rows]


@pytest.mark.parametrize("name", LEARNERS)
def test_it_answers_candidates_and_books_and_says_where_it_comes_from(name, trained, records):
    adapter = load_adapter("learner", {"weights": str(trained[name])}, environment={})
    assert any("candidates" in row for row in records)
    for row in records:
        shown = {line["uid"] for line in row.get("candidates", [])}
        said = adapter.predict({**row, "gold": None}, protocol="closed_book")
        assert said["value"] is None or said["support_ids"]
        assert not shown or set(said["support_ids"]) <= shown
    told = adapter.provenance()["trained"]
    assert (told["learner"], told["trained_by"], told["rounds"], told["level"]) == (name, "loop 7", 1, 0.2)
    assert tuple(told["families"]) == get_learner(name).training


def test_a_gate_answers_right_where_the_evidence_is_shown(trained, records):
    adapter = load_adapter("learner", {"weights": str(trained["gate"])}, environment={})
    shown = [row for row in records if "candidates" in row and row["meta"].get("gold_present", True)]
    right = [
        adapter.predict({**row, "gold": None}, protocol="closed_book")["value"] == row["gold"]["value"]
        for row in shown
    ]
    assert sum(right) > 0.8 * len(right)


def test_a_retriever_tells_which_two_lines_it_found(trained, records):
    adapter = load_adapter("learner", {"weights": str(trained["retriever"])}, environment={})
    books = [row for row in records if "candidates" not in row and row["book"]]
    assert books
    for row in books:
        said = adapter.predict({**row, "gold": None}, protocol="closed_book")
        assert len(said["shown_uids"]) == 2
        assert set(said["support_ids"]) <= set(said["shown_uids"])


@pytest.mark.parametrize("name", LEARNERS)
def test_the_file_names_no_seed(name, trained):
    text = trained[name].read_text()
    assert str(SEED) not in text
    assert str(UNSEEN) not in text
    assert trained_files()["learner"].weights(trained[name]) == count_weights(trained[name]) > 16


@pytest.mark.parametrize("text", ["[]", "{", '{"learner": 3}', '{"learner": "gate", "features": []}'])
def test_another_file_is_refused(text, tmp_path: Path):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(BenchmarkError, match="not a trained learner"):
        load_adapter("learner", {"weights": str(path)}, environment={})


def test_a_file_of_another_learner_and_none_at_all_are_refused(trained, tmp_path):
    data = json.loads(trained["gate"].read_text())
    (tmp_path / "mixed.json").write_text(json.dumps(data | {"learner": "retriever"}))
    (tmp_path / "unknown.json").write_text(json.dumps(data | {"learner": "gates"}))
    for name, why in (("mixed", "features are not those"), ("unknown", "gate"), ("missing", "No such file")):
        with pytest.raises(BenchmarkError, match=why):
            load_adapter("learner", {"weights": str(tmp_path / f"{name}.json")}, environment={})
    with pytest.raises(BenchmarkError, match="name a file trained by the gym"):
        load_adapter("learner", {}, environment={})
