"""Prompt sets are files: complete, named by their content, and recorded with each run."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from evaluation.adapters.prompt_sets import PromptChoice, PromptSets, SetPrompts, part_of_identity
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


def test_a_set_that_is_based_on_another_says_only_what_differs(tmp_path: Path) -> None:
    (tmp_path / "own-2.toml").write_text(WHOLE)
    told = """name = "own"
version = 3
about = "w"
based_on = "own@2"
label_beside_id = false
[wordings.a]
system = "v"
"""
    found = sets(tmp_path, told, "own-3.toml")["own@3"]
    assert found.texts("a") == {"system": "v", "tail": "y"}
    assert (found.about, found.label_beside_id) == ("w", False)
    for base in ("own@3", "own@9"):
        with pytest.raises(
            BenchmarkError, match=f"own-3.toml: based_on names '{base}', which is unknown or the set itself"
        ):
            sets(tmp_path, told.replace("own@2", base), "own-3.toml")["own@3"]


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        (WHOLE, "own-3.toml", "must match the contents, own@2"),
        (WHOLE.replace('tail = "y"', ""), "own-2.toml", "wording a has no tail"),
        (WHOLE + "[wordings.b]\nsystm = 'z'", "own-2.toml", "wording b has no system"),
        (WHOLE.replace("version = 2", "version = x"), "own-2.toml", "is not a prompt set"),
        (WHOLE.replace("about", "abuot"), "own-2.toml", "is not a prompt set"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(tmp_path: Path, text: str, name: str, reason: str) -> None:
    found = sets(tmp_path, text, name)
    with pytest.raises(BenchmarkError, match=reason):
        found[next(iter(found))]


@pytest.mark.parametrize("published", [GOLDEVIDENCE, STATEBENCH], ids=["goldevidence", "statebench"])
def test_each_suite_has_the_prompt_of_before_and_others_of_three_wordings(published: PromptSets) -> None:
    assert {"legacy@1", "standard@1"} <= published.keys()
    for label, each in published.items():
        is_legacy = label == "legacy@1"
        assert (each.legacy, [*each.wordings]) == (is_legacy, ["a"] if is_legacy else ["a", "b", "c"])


class Sends(SetPrompts):
    def __init__(self, choice: PromptChoice, *prompts: str) -> None:
        super().__init__(choice)
        self.prompts = prompts

    def sent(self) -> Collection[str]:
        return self.prompts


def test_a_run_is_known_by_all_that_it_sends(tmp_path: Path) -> None:
    choice = PromptChoice(sets(tmp_path, WHOLE)["own@2"])
    one, other = Sends(choice, "x", "y").identity(), Sends(choice, "xy").identity()
    assert one["sha256"] != other["sha256"]
    assert part_of_identity({"prompt": one, "settings": {}}) == {"prompt": one}
    assert part_of_identity({"settings": {}}) == {}
    assert part_of_identity({"prompt": one, "model": {"sha256": "ab"}}) == {
        "prompt": one,
        "model_sha256": "ab",
    }
