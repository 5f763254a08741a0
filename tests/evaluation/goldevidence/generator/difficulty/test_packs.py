"""Packs of sentences: the built-in one, and an operator's own."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.core.errors import SettingsError
from evaluation.goldevidence import generate
from evaluation.goldevidence.generator.difficulty import packs
from evaluation.goldevidence.generator.difficulty.packs import BUILT_IN, CITABLE, KINDS, Pack, load
from evaluation.goldevidence.generator.difficulty.reading import read_text
from evaluation.goldevidence.generator.prf import throw
from tests.evaluation.goldevidence.generator.difficulty.test_difficulty import (
    PROSE,
    SMALL,
    oracle_metrics,
    version,
)

HARBOUR = load(BUILT_IN, "")
NAMES = packs.names_pattern({"the old gauge": "tag.03"})


def content(**changes: Any) -> dict[str, Any]:
    """The content of a pack with a sentence of each kind."""
    families: dict[str, Any] = {
        "set": [["{key} became {value} by decree ({id})."]],
        "clear": [["{key} became nothing by decree ({id})."]],
        "note": [["Scribble: {value} near {key} ({id})."]],
        "distractor": [["{key} might become {value} by decree ({id})."]],
        "stale": [["{key} had been {value} of old ({id})."]],
        "summary": [["The old list: {key}, {value} ({id})."]],
        "instruction": [["Say {value} for {key}."]],
        "format_trap": [['Copy {"value": "{value}"} and {id} for {key}.']],
        "quoted_set": [['"{key} is {value}", said a wall.']],
        "aside": [["{key} was seen."]],
        "alias": [["{key} answers to {name}."]],
    }
    return {"families": families | changes}


def private(folder: Path, monkeypatch: pytest.MonkeyPatch, data: Any) -> str:
    """Write a pack into the operator's folder; its SHA-256."""
    monkeypatch.setenv(packs.FOLDER_VARIABLE, str(folder))
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    (folder / "mine.json").write_bytes(text)
    return hashlib.sha256(text).hexdigest()


def test_the_pack_in_the_source_is_the_one_that_versions_were_made_of() -> None:
    path = Path(packs.__file__).with_name("harbour.json")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    # Frozen versions are made of it: for other sentences, add another pack.
    assert digest == "2ad07a89f72e356cdff9261271335aae99562ef9dc0a900e657b51a753e75c00"


@pytest.mark.parametrize("kind", ["set", "clear", "note", "distractor", "stale", "summary"])
def test_the_pack_in_the_source_has_eight_families_of_several_sentences(kind: str) -> None:
    assert len(HARBOUR.families[kind]) >= 8
    assert all(len(family) >= 3 for family in HARBOUR.families[kind])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind in CITABLE])
def test_every_sentence_is_read_back_with_its_kind_its_tag_its_value_and_its_id(kind: str) -> None:
    values = {"teal-0042", "17", "item0001,item0002", "altair-137"}
    for key in ("tag.07", "tag.123", "the old gauge"):
        for value in sorted(values):
            for number, text in enumerate(HARBOUR.sentences(kind)):
                dice = throw(b"salt", kind, number)
                sentence = HARBOUR.filled(text, {"key": key, "value": value, "id": "U3F9A0C"}, dice)
                read = HARBOUR.read(sentence, NAMES)
                assert read == (kind, key, value if "value" in KINDS[kind] else "", "U3F9A0C"), sentence


def test_updates_and_distractors_share_their_words() -> None:
    def words(kind: str) -> set[str]:
        return {word for text in HARBOUR.sentences(kind) for word in text.lower().split()}

    assert len(words("set") & words("distractor")) > len(words("set")) / 2
    firsts = [{text.split()[0] for text in HARBOUR.sentences(kind)} for kind in ("set", "distractor")]
    assert len(firsts[0] & firsts[1]) >= 8


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"set": [["{key} became {value}."]]}, "lacks {id}"),
        ({"set": [["{key} became {value} ({id}) {when}."]]}, "unknown slot {when}"),
        ({"set": [["{key} became {value} in 1999 ({id})."]]}, "no digit besides its slots"),
        ({"set": [["- {key} became {value} ({id})."]]}, "must be one line"),
        ({"set": [["{key}, not tag.00, became {value} ({id})."]]}, "digit besides"),
        ({"note": [["{key} became {value} by decree ({id})."]]}, "cannot be told apart"),
        ({"song": [["La."]]}, "has the kind"),
        ({"set": []}, "at least 1"),
    ],
)
def test_a_pack_that_could_not_be_read_back_is_refused_with_the_sentence(changes: Any, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Pack.from_json(content(**changes))
    assert message in str(caught.value)


def test_a_pack_without_a_kind_is_refused() -> None:
    data = content()
    del data["families"]["stale"]
    with pytest.raises(SettingsError, match="'stale'"):
        Pack.from_json(data)


def test_a_private_pack_makes_versions_that_its_oracle_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = private(tmp_path, monkeypatch, content())
    chosen = version(SMALL | PROSE | {"pack": "mine", "pack_sha256": digest})
    assert oracle_metrics(chosen)["exact_acc"] == 1.0
    [row, *_] = generate(chosen["generator"], 1)
    assert "by decree" in row["book"]
    assert len(read_text(row["book"]).entries) > len(read_text(row["book"], in_source=True).entries) == 0


def test_a_private_pack_that_is_missing_or_another_one_is_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = private(tmp_path, monkeypatch, content())
    config = SMALL | PROSE | {"pack": "mine", "pack_sha256": digest}
    private(tmp_path, monkeypatch, content(aside=[["{key} was heard."]]))
    with pytest.raises(SettingsError, match="Put the pack of this version back"):
        next(generate(config, 1))
    (tmp_path / "mine.json").unlink()
    with pytest.raises(SettingsError, match=r"cannot be read at .*mine\.json"):
        next(generate(config, 1))
    monkeypatch.delenv(packs.FOLDER_VARIABLE)
    with pytest.raises(SettingsError, match="set PROSE_PACKS to the folder"):
        next(generate(config, 1))


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b'{"families": 3}', b"\xff"])
def test_a_file_that_is_no_pack_is_refused_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes
) -> None:
    digest = private(tmp_path, monkeypatch, text)
    with pytest.raises(SettingsError, match=r"mine\.json"):
        next(generate(SMALL | PROSE | {"pack": "mine", "pack_sha256": digest}, 1))
