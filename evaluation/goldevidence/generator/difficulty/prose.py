"""Prose: lines as sentences of a pack. Whether one changes a tag is said by its words; every claim has an id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.difficulty.dice import throw
from evaluation.goldevidence.generator.difficulty.packs import Pack
from evaluation.goldevidence.generator.difficulty.wording import Alias, Renamed, Said
from evaluation.goldevidence.generator.prf import below

#: The log says in which watch a line was written, and no more: an update stands first in its step, and so a finer clock
#: would tell updates from what is said about them.
WATCHES, STEPS_A_WATCH = ("morning", "evening", "night"), 8
#: Lines that order to answer a value.
ORDERS = ("instruction", "format_trap", "quoted_set")
#: Claims whose sentences are those of another kind. What a pack says of changes that were refused, planned or put off
#: looks like an update already.
SAID_AS = {"camouflage": "distractor", "stale_tab": "stale", "sibling": "distractor"}


class Prose(Renamed):
    """The wording of one episode in sentences."""

    ids_in_claims: ClassVar[bool] = True

    def __init__(self, salt: bytes, aliases: Mapping[str, Alias], pack: Pack) -> None:
        """A wording of one episode.

        Args:
            salt: What sentences are drawn by.
            aliases: Other names, by key.
            pack: The sentences.
        """
        super().__init__(salt, aliases, ledger=False)
        self._texts = {kind: pack.sentences(kind) for kind in pack.families}
        self._pack = pack

    def update(self, entry: Entry) -> tuple[str, str, str]:
        """One ledger entry, NOTEs included; the third text is for the grading record alone."""
        uid, step, op, key, value = entry
        line, sentence = self._said(op.lower(), step, uid, key, value or "", uid)
        return line, sentence, entry.line()

    def claim(self, kind: str, step: int, key: str, value: str = "", uid: str = "") -> Said:
        """A sentence about a key that changes nothing; a claim is known by its id, another line by its step.

        Args:
            kind: As of `Wording.claim`.
            step: The same.
            key: The same.
            value: The same.
            uid: The same.
        """
        kind = SAID_AS.get(kind, kind)
        token = f"order{step}" if kind in ORDERS else f"aside{step}" if kind == "aside" else uid
        return self._said(kind, step, token, key, value, uid)

    def alias(self, step: int, key: str, name: str) -> Said:
        """See `Wording.alias`.

        Args:
            step: The step that it follows.
            key: The key.
            name: The name.
        """
        return self._written("alias", step, f"alias{key}", {"key": key, "name": name})

    def _said(self, kind: str, step: int, token: str, key: str, value: str = "", uid: str = "") -> Said:
        name = self.named(key, step, token)
        return self._written(kind, step, token, {"key": name, "value": value, "id": uid})

    def _written(self, kind: str, step: int, token: str, slots: Mapping[str, str]) -> Said:
        which, *dice = throw(self.salt, kind, token)
        texts = self._texts[kind]
        sentence = self._pack.filled(texts[below(which, len(texts))], slots, tuple(dice))
        return f"- {watch(step)} – {sentence}", sentence


def watch(step: int) -> str:
    """When a step is, as the log writes it: `Day 2, night watch`.

    Args:
        step: From 1.
    """
    day, place = divmod((step - 1) // STEPS_A_WATCH, len(WATCHES))
    return f"Day {day + 1}, {WATCHES[place]} watch"
