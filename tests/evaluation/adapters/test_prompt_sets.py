"""Prompt sets are files: whole, named by what they hold, and part of what a run is."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.adapters.prompt_sets import PromptChoice, PromptSets, identity, part_of_identity
from evaluation.core.errors import BenchmarkError, UnknownNameError
from evaluation.goldevidence.adapters.prompts import SETS as GOLDEVIDENCE
from evaluation.statebench.adapters.prompts import SETS as STATEBENCH

WHOLE = 'name = "own"\nversion = 2\nabout = "x"\n[shared]\ntail = "y"\n[wordings.a]\nsystem = "z"\n'


def sets(folder: Path, text: str, name: str = "own-2.toml") -> PromptSets:
    (folder / name).write_text(text)
    return PromptSets(folder, ("system", "tail"))


def test_a_set_is_read_by_its_label_with_what_its_wordings_share(tmp_path: Path) -> None:
    found = sets(tmp_path, WHOLE)
    assert (list(found), len(found), "own@2" in found) == (["own@2"], 1, True)
    assert found["own@2"].texts("a") == {"system": "z", "tail": "y"}
    with pytest.raises(UnknownNameError, match="own@2"):
        found["own@1"]


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        (WHOLE, "own-3.toml", "calls itself own@2"),
        (WHOLE.replace('tail = "y"', ""), "own-2.toml", "wording a has no tail"),
        (WHOLE + "[wordings.b]\nsystm = 'z'", "own-2.toml", "wording b has no system"),
        (WHOLE.replace("version = 2", "version = x"), "own-2.toml", "is no prompt set"),
        (WHOLE.replace("about", "abuot"), "own-2.toml", "is no prompt set"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(tmp_path: Path, text: str, name: str, reason: str) -> None:
    found = sets(tmp_path, text, name)
    with pytest.raises(BenchmarkError, match=reason):
        found[next(iter(found))]


@pytest.mark.parametrize("published", [GOLDEVIDENCE, STATEBENCH], ids=["goldevidence", "statebench"])
def test_each_suite_has_the_prompt_of_before_and_one_of_three_wordings(published: PromptSets) -> None:
    assert list(published) == ["legacy@1", "standard@1"]
    assert [[*each.wordings] for each in published.values()] == [["a"], ["a", "b", "c"]]
    assert [each.legacy for each in published.values()] == [True, False]


def test_a_run_is_known_by_all_that_it_sends(tmp_path: Path) -> None:
    choice = PromptChoice(sets(tmp_path, WHOLE)["own@2"])
    one, other = identity(choice, ["x", "y"]), identity(choice, ["xy"])
    assert one["sha256"] != other["sha256"]
    assert part_of_identity({"prompt": one, "settings": {}}) == {"prompt": one}
    assert part_of_identity({"settings": {}}) == {}
    assert part_of_identity({"prompt": one, "model": {"sha256": "ab"}}) == {
        "prompt": one,
        "model_sha256": "ab",
    }
