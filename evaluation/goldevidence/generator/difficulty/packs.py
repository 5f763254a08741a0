"""Packs of sentences: paraphrases for each kind of line, and a parser that recognises the kind of a sentence.

Besides the built-in `harbour.json`, operators can provide packs as files `<name>.json` in the folder that the
environment variable PROSE_PACKS names. A version stores a pack's name and SHA-256, never its content.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, NamedTuple

import orjson
from pydantic import Field, model_validator

from evaluation.core.checks import in_message
from evaluation.core.errors import SettingsError
from evaluation.core.settings import SettingsModel, StrictStr, refused
from evaluation.goldevidence.generator.fields import SETTINGS

BUILT_IN: str = SETTINGS["pack"].default
FOLDER_VARIABLE = "PROSE_PACKS"
PACK_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
#: Kind -> slots that its sentences need.
KINDS: Mapping[str, frozenset[str]] = {
    "set": frozenset({"key", "value", "id"}),
    "clear": frozenset({"key", "id"}),
    "note": frozenset({"key", "value", "id"}),
    "distractor": frozenset({"key", "value", "id"}),
    "stale": frozenset({"key", "value", "id"}),
    "summary": frozenset({"key", "value", "id"}),
    "instruction": frozenset({"key", "value"}),
    "format_trap": frozenset({"key", "value", "id"}),
    "quoted_set": frozenset({"key", "value"}),
    "aside": frozenset({"key"}),
    "alias": frozenset({"key", "name"}),
}
#: Kinds whose id belongs to the sentence itself; readers take an entry from them.
CITABLE = ("set", "clear", "note", "distractor", "stale", "summary")
OPERATIONS = {"set": "SET", "clear": "CLEAR"}  # all others change nothing
_SLOT = re.compile(r"\{([a-z_]+)\}")
_VALUE = r"(?<![\w.,-])(?:[a-z]+-\d{3,4}|item\d{4}(?:,item\d{4})*|\d+)(?![\w-])"
_TAG = r"tag\.\d{2,}"
_ID = r"U[0-9A-F]{6}"
_SAMPLE = {"key": "tag.00", "value": "teal-0000", "id": "U0000FF", "name": "the harbour gauge"}
Texts = Annotated[tuple[StrictStr, ...], Field(min_length=1)]


class Sentence(NamedTuple):
    """A parsed sentence. `value` and `uid` are empty if sentences of its kind have none."""

    kind: str
    key: str  # as named: a tag, or another name
    value: str
    uid: str


class Pack(SettingsModel):
    """Sentences of every kind. Sentences of one family mean the same. Raises SettingsError naming the unusable part."""

    about: StrictStr = Field("", description="Description of the pack, in a sentence.")
    fillers: dict[StrictStr, Texts] = Field(
        default_factory=dict, description="Slot -> words that fill the slot: names, places."
    )
    families: dict[StrictStr, Annotated[tuple[Texts, ...], Field(min_length=1)]] = Field(
        description="By kind of line, families of sentences with slots: {key}, {value}, {id}, {name} or a filler."
    )

    @model_validator(mode="after")
    def _usable(self) -> Pack:
        if missing := KINDS.keys() - self.families.keys():
            raise refused(f"must have sentences of the kind {sorted(missing)[0]!r}.", field="families")
        if unknown := self.families.keys() - KINDS.keys():
            kinds = ", ".join(KINDS)
            raise refused(f"has the kind {in_message(sorted(unknown)[0])}; known: {kinds}.", field="families")
        for fault in self._faults():
            raise refused(fault, field="families")
        return self

    def sentences(self, kind: str) -> tuple[str, ...]:
        return tuple(text for family in self.families[kind] for text in family)

    @cached_property
    def by_skeleton(self) -> Mapping[str, str]:
        """The kind of each sentence, by its skeleton: the sentence without names, values and ids."""
        return {self._skeleton_of(text): kind for kind in KINDS for text in self.sentences(kind)}

    def filled(self, text: str, slots: Mapping[str, str], dice: tuple[int, ...]) -> str:
        """Fill a sentence's slots, and capitalise it unless it begins with a tag or value. `dice` chooses the words."""
        rest = iter(dice)

        def fill(slot: re.Match[str]) -> str:
            if slot[1] in slots:
                return slots[slot[1]]
            choices = self.fillers[slot[1]]
            return choices[next(rest) * len(choices) >> 32]

        sentence = _SLOT.sub(fill, text)
        return sentence if _starts_with_code(sentence) else sentence[:1].upper() + sentence[1:]

    def read(self, sentence: str, names: re.Pattern[str]) -> Sentence | None:
        """Parse a sentence written by `filled`; None if it is not from this pack. `names`: pattern of tag names."""
        kind = self.by_skeleton.get(self._skeleton(sentence, names))
        key = names.search(sentence)
        if kind is None or key is None:
            return None
        without_key = names.sub(" ", sentence)
        value = re.search(_VALUE, without_key) if "value" in KINDS[kind] else None
        uid = re.search(_ID, sentence) if kind in CITABLE else None
        return Sentence(kind, _small(key[0]), value[0] if value else "", uid[0] if uid else "")

    @cached_property
    def alias_forms(self) -> tuple[re.Pattern[str], ...]:
        """Patterns of the sentences that introduce an alias. Their groups are `key` and `name`."""
        forms = []
        for text in self.sentences("alias"):
            form = re.escape(text).replace(r"\{key\}", rf"(?P<key>{_TAG})")
            form = form.replace(r"\{name\}", "(?P<name>[Tt]he [a-z]+ [a-z]+)")
            for name, choices in self.fillers.items():
                any_of = "|".join(re.escape(choice) for choice in choices)
                form = form.replace(rf"\{{{name}\}}", f"(?:{any_of})")
            forms.append(re.compile(form, re.IGNORECASE))
        return tuple(forms)

    @cached_property
    def _filler_words(self) -> list[tuple[re.Pattern[str], str]]:
        return [
            (re.compile(rf"(?<!\w)(?:{_either(choices)})(?!\w)"), f"{{{name}}}")
            for name, choices in self.fillers.items()
        ]

    def _skeleton(self, sentence: str, names: re.Pattern[str]) -> str:
        text = re.sub(_ID, "{id}", names.sub("{key}", sentence))
        text = re.sub(_VALUE, "{value}", text)
        for words, slot in self._filler_words:
            text = words.sub(slot, text)
        return text[:1].upper() + text[1:]

    def _skeleton_of(self, text: str) -> str:
        return self._skeleton(self.filled(text, _SAMPLE, (0,) * 8), KNOWN_NAMES)

    def _faults(self) -> Iterator[str]:
        """Yield messages about sentences that lack a slot, or whose kind a reader could not determine."""
        known: dict[str, tuple[str, str]] = {}
        for kind, slots in KINDS.items():
            for text in self.sentences(kind):
                quoted = in_message(text)
                found = _SLOT.findall(text)
                if missing := slots - set(found):
                    yield f"{kind}: {quoted} lacks {{{sorted(missing)[0]}}}."
                    return
                if unknown := set(found) - slots - self.fillers.keys():
                    yield f"{kind}: {quoted} has the unknown slot {{{sorted(unknown)[0]}}}."
                    return
                yield from self._faults_of(kind, text, quoted)
                before, first = known.setdefault(self._skeleton_of(text), (kind, quoted))
                if before != kind:
                    yield f"{quoted} of the kind {kind} cannot be told apart from {first} of the kind {before}."

    def _faults_of(self, kind: str, text: str, quoted: str) -> Iterator[str]:
        bare = _SLOT.sub("", text)
        if text != text.strip() or "\n" in text or "\r" in text or text.startswith(("-", "#")):
            yield f"{kind}: {quoted} must be one line that begins with neither '-' nor '#'."
        elif kind in CITABLE and re.search(r"\d", bare):
            yield f"{kind}: {quoted} must have no digit besides its slots: it would be read as a value."
        elif re.search(_TAG, bare):
            yield f"{kind}: {quoted} must not name a tag besides {{key}}."
        elif any(
            self._skeleton(self.filled(text, _SAMPLE, (die,) * 8), KNOWN_NAMES) != self._skeleton_of(text)
            for die in range(0, 1 << 32, 1 << 28)
        ):
            yield f"{kind}: {quoted} has a filler word outside its slots, or two fillers contain each other."


#: Tags by their own name, and by the one that samples of sentences use.
KNOWN_NAMES = re.compile(_TAG)


def names_pattern(aliases: Mapping[str, str]) -> re.Pattern[str]:
    others = [f"[Tt]{re.escape(name[1:])}" for name in aliases]
    return re.compile("|".join([_TAG, *others]) if others else _TAG)


def load(name: str, sha256: str) -> Pack:
    """Load a pack by name, and check its SHA-256 unless `sha256` is empty. Raises SettingsError."""
    path = Path(__file__).with_name(f"{BUILT_IN}.json") if name == BUILT_IN else _private(name)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _fault("pack", f"{name!r} cannot be read at {path}: {error.strerror}.") from error
    actual = hashlib.sha256(content).hexdigest()
    if sha256 and actual != sha256:
        raise _fault(
            "pack_sha256",
            f"{path} has the SHA-256 {actual}, not {sha256}: it was changed, or is another pack with that name. "
            "Put the pack of this version back, or make a new version.",
        )
    return _parsed(content, str(path))


def known_packs() -> Iterator[Pack]:
    """Yield the built-in pack, then the usable packs in the folder PROSE_PACKS."""
    yield load(BUILT_IN, "")
    folder = os.environ.get(FOLDER_VARIABLE)
    for path in sorted(Path(folder).glob("*.json")) if folder else ():
        try:
            yield _parsed(path.read_bytes(), str(path))
        except (OSError, SettingsError):
            continue  # unusable or half written: a version that needs it gets the reason from `load`


def _private(name: str) -> Path:
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        raise _fault(
            "pack",
            f"{name!r} is not built in: set {FOLDER_VARIABLE} to the folder that holds {name}.json.",
        )
    return Path(folder) / f"{name}.json"


@lru_cache(maxsize=16)
def _parsed(content: bytes, path: str) -> Pack:
    try:
        return Pack.from_json(orjson.loads(content))
    except orjson.JSONDecodeError as error:
        raise _fault("pack", f"{path} is not JSON: {error}.") from error
    except SettingsError as error:
        raise _fault("pack", f"{path} cannot be used: {error}") from error


def _fault(field: str, message: str) -> SettingsError:
    return SettingsError({f"generator.{field}": [message]})


def _either(choices: tuple[str, ...]) -> str:
    ordered = sorted(choices, key=len, reverse=True)
    return "|".join(f"[{c[0].lower()}{c[0].upper()}]{re.escape(c[1:])}" for c in ordered)


def _starts_with_code(sentence: str) -> bool:
    return re.match(rf"{_TAG}|{_VALUE}", sentence) is not None


def _small(name: str) -> str:
    return name[:1].lower() + name[1:]
