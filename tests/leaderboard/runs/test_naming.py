"""What a run's system is called: everything that is tested, and nothing of the machine."""

from __future__ import annotations

import pytest

from leaderboard.runs import naming
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from leaderboard.submissions.models import System


def test_a_run_takes_the_first_of_two_systems_of_one_name(small, staff):
    first, _ = (System.objects.create(owner=staff, name="ledger") for _ in range(2))
    assert runs.start(version=small, executor="ledger", started_by=staff).system == first


def test_systems_with_long_settings_are_told_apart(small, staff):
    names = {
        naming._adapter_name(
            Run(version=small, executor="adapter:retrieval", settings={"linear_model": "x" * 90, "k": k})
        )
        for k in (4, 8)
    }
    assert len(names) == 2
    assert all(len(name) <= naming.NAME_LENGTH for name in names)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"prompt": "standard@1", "wording": "a", "truncation": "recent"}, "llama_cpp · standard@1"),
        ({}, "llama_cpp · standard@1"),
        ({"prompt": "legacy@1"}, "llama_cpp · legacy@1"),
        ({"wording": "b", "mode": "select"}, "llama_cpp · standard@1 · mode=select, wording=b"),
        ({"truncation": "by_key", "context": 512}, "llama_cpp + by-key retriever · standard@1 · context=512"),
    ],
)
def test_a_name_tells_the_prompt_set_other_words_and_a_retriever(small, values, name):
    assert naming._adapter_name(Run(version=small, executor="adapter:llama_cpp", settings=values)) == name
