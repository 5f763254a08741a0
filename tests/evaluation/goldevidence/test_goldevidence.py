"""The public door of the suite: its names, and its unchanging output."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest

from evaluation import goldevidence
from evaluation.core import jsonl
from evaluation.core.errors import SettingsError
from tests.live import ROOT

DIGESTS = {
    "kv": "2163b86b40cc3393a4cd16fee7c74f5a463dc67b90dd6365140fd08583dd1dc9",
    "kv_commentary": "1f01875835f620c28777a481d3ded8f30b13ccad05ee25061e417425b84f8819",
    "counter": "2d80f37ebf6849c07947d43ff923836cf9ac4e9d1cf3daf64cc0ba974bc2514f",
    "set": "820a702bc64faec09308fe98c5eb05633ecb2cd955a90bfe8c8a22f3e772adce",
    "relational": "e552d3d1f02a4e4b815e6d16a22b5871a989add5c340a463d4b630fd8c9d48e6",
}


def digest(config, seed):
    return hashlib.sha256(b"\n".join(map(jsonl.dumps, goldevidence.generate(config, seed)))).hexdigest()


@pytest.mark.parametrize("mode", DIGESTS)
def test_the_same_settings_and_seed_give_the_same_bytes_everywhere(mode):
    """A new digest means that every frozen version of this mode would come out differently: avoid it."""
    config = {"state_mode": mode, "distractor_profile": "instruction_suite", "episodes": 2, "keys": 104}
    assert digest(config, 7) == DIGESTS[mode]


def test_bytes_do_not_depend_on_the_hash_seed_of_the_process():
    code = (
        "import hashlib; from evaluation import goldevidence as g; from evaluation.core import jsonl;"
        "rows = g.generate({'state_mode': 'set', 'episodes': 1}, 3);"
        "print(hashlib.sha256(b''.join(map(jsonl.dumps, rows))).hexdigest())"
    )
    root, printed = ROOT, set()
    for seed in ("1", "2"):
        env = {"PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=root, env=env, capture_output=True, check=True
        )
        printed.add(done.stdout)
    assert len(printed) == 1


def test_a_config_may_be_none_a_mapping_or_a_config():
    mapping = {"episodes": 1, "steps": 20, "chapters": 2}
    rows = list(goldevidence.generate(mapping))
    assert rows == list(goldevidence.generate(goldevidence.GeneratorConfig(**mapping)))
    assert next(goldevidence.generate())["id"] == "E0001-Q001"


def test_a_bad_setting_is_refused_before_the_first_row():
    with pytest.raises(SettingsError, match="Did you mean 'steps'"):
        next(goldevidence.generate({"stepps": 3}))


def test_rows_have_the_benchmarks_shape():
    row = next(goldevidence.generate())
    assert list(row) == [
        "id", "episode_id", "schema_version", "document", "book", "question", "gold", "meta",
    ]  # fmt: skip
    assert row["schema_version"] == "0.1"
    assert list(row["meta"]) == [
        "seed", "steps", "requires_citation", "key", "q_index", "state_mode", "distractor_profile",
        "query_type", "derived_op", "derived_manager", "has_instruction", "instruction_value",
        "instruction_variant", "last_update_step", "tokens_since_update", "distractors_since_update",
        "writes_to_key", "instruction_nearby", "twin_group", "twin_variant", "twin_flip_uid", "twin_flip_key",
    ]  # fmt: skip


def test_rows_of_an_episode_share_their_texts():
    rows = list(goldevidence.generate({"episodes": 1, "twins": False}))
    assert len({id(row["document"]) for row in rows}) == len({id(row["book"]) for row in rows}) == 1


def test_the_door_lists_its_names():
    assert sorted(goldevidence.__all__) == ["GeneratorConfig", "generate", "grade_files"]
    with pytest.raises(AttributeError, match="has no attribute 'grade_file'"):
        _ = goldevidence.grade_file
