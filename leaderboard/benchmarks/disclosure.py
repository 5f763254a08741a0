"""Tells who can know the correct answers of a version, and which data of the version readers may therefore see."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evaluation.core.sealing import keyed_ids
from leaderboard.accounts import permissions

if TYPE_CHECKING:
    from leaderboard.benchmarks.models import Version


class State(StrEnum):
    PUBLIC = "public"
    SEALED = "sealed"
    OPEN_DEMO = "open_demo"
    OPEN_IDS = "open_ids"  # once sealed, but its row ids reveal answers
    IMPORTED = "imported"
    RETIRED = "retired"


LABELS = {
    State.PUBLIC: "public",
    State.SEALED: "secret until retirement",
    State.OPEN_DEMO: "open demo",
    State.OPEN_IDS: "open: row ids reveal them",
    State.IMPORTED: "left out of the download",
    State.RETIRED: "can be generated: seeds published",
}
KEPT = "The answers are secret. {} drawn at random and are published when the version is retired."
SENTENCES = {
    State.PUBLIC: "The answers are in the rows.",
    State.SEALED: KEPT.format("The seeds that generate them were"),
    State.OPEN_DEMO: "Open demo: its seeds are known, so anyone can generate its answers. "
    "Its results are examples and prove nothing.",
    State.IMPORTED: "Its rows and their ids come from a file. "
    "The download leaves the answers out, but anyone with the file has them.",
    State.RETIRED: "Its seeds are published, so anyone can generate its answers.",
}
KEYED_SENTENCES = SENTENCES | {
    State.SEALED: KEPT.format("The seeds that generate them and the key of the row ids were"),
    State.RETIRED: "Its seeds and the key of its row ids are published, so anyone can generate its answers.",
}


@dataclass(frozen=True, slots=True)
class Disclosure:
    """Tells who can know the correct answers of a version, and which data of the version readers may therefore see."""

    state: State
    sentence: str
    keyed: bool  # row ids are keyed hashes
    was_sealed: bool = False  # retired, and sealed while it took submissions

    @property
    def label(self) -> str:
        return LABELS[self.state]

    @property
    def is_open(self) -> bool:
        """True if anyone can find out the answers although the rows do not include them."""
        return self.state in (State.OPEN_DEMO, State.OPEN_IDS)

    @property
    def shows_seeds(self) -> bool:
        """True if everyone may see the seeds and the key, because the answers are not secret."""
        return self.state in (State.PUBLIC, State.OPEN_DEMO, State.RETIRED)

    @property
    def publishes_gold(self) -> bool:
        """True if everyone may download gold and predictions."""
        return self.state in (State.PUBLIC, State.RETIRED)

    @property
    def ranks_uploads(self) -> bool:
        """True if self-reported results are ranked: answers are secret, or were secret until uploads ended."""
        return self.state == State.SEALED or self.was_sealed

    @property
    def hides_splits(self) -> bool:
        """True if the split of a row is secret, because it would reveal where in the text the answer is."""
        return self.keyed and self.state == State.SEALED


def disclosure_of(version: Version) -> Disclosure:
    """The disclosure of a version, derived from its columns, settings and sample row."""
    state, keyed = _state(version), keyed_ids.is_keyed(version.sample.get("id"))
    if state == State.OPEN_IDS:
        return Disclosure(state, _shown_by_ids(version), keyed)
    has_key = bool(version.settings.get("key"))  # older drafts have none
    was_sealed = state == State.RETIRED and not version.is_open and _was_sealed(version)
    return Disclosure(state, (KEYED_SENTENCES if has_key else SENTENCES)[state], keyed, was_sealed)


def ranks_uploads(version: Version) -> bool:
    """`Disclosure.ranks_uploads`, cached. The version may be loaded without its settings and sample row."""
    return _ranks_uploads(type(version), version.pk, version.sha256, version.status, version.retired_at)


@lru_cache(maxsize=4096)
def _ranks_uploads(model: type[Version], pk: int, *state: object) -> bool:
    """`Disclosure.ranks_uploads` of the version with the key `pk`. `state` is only used as a part of the cache key."""
    return model.objects.select_related("benchmark").get(pk=pk).disclosure.ranks_uploads


def shows_answers(version: Version, user: Any) -> bool:
    """True if the reader may see the correct answer of each row, and each system's answer to the row.

    If it is False, pages of rows and verdicts leave out all fields that reveal the correct answer.
    """
    return version.disclosure.shows_seeds or permissions.may(user, permissions.VIEW_GOLD)


def _state(version: Version) -> State:
    if version.public_gold:
        return State.PUBLIC
    if version.is_import:
        return State.IMPORTED
    if (
        version.retired_at or version.status == version.Status.RETIRED
    ):  # retiring published the seeds for good
        return State.RETIRED
    if not _is_secret(version):
        return State.OPEN_DEMO
    return State.OPEN_IDS if _shown_by_ids(version) else State.SEALED


def _was_sealed(version: Version) -> bool:
    return _is_secret(version) and not _shown_by_ids(version)


def _is_secret(version: Version) -> bool:
    """True if the version's seeds were drawn at random, so that they cannot be guessed."""
    if key := version.settings.get("key"):
        return bool(key != keyed_ids.OPEN_KEY)
    return version.bound.settings.has_secret_seeds


def _shown_by_ids(version: Version) -> str:
    return version.bound.settings.shown_by_ids(version.sample)
