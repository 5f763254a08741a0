"""Who can know the answers of a version: decided here, with the wording that every page uses."""

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
    """What becomes of the answers of a version."""

    PUBLIC = "public"
    SEALED = "sealed"
    OPEN_DEMO = "open_demo"
    OPEN_IDS = "open_ids"  # sealed once, by ids that give answers away
    IMPORTED = "imported"
    RETIRED = "retired"


LABELS = {
    State.PUBLIC: "public",
    State.SEALED: "kept by the site",
    State.OPEN_DEMO: "open demo",
    State.OPEN_IDS: "open: its ids tell",
    State.IMPORTED: "left out of the download",
    State.RETIRED: "can be made: seeds published",
}
KEPT = "This site keeps the answers. {} drawn at random and stay secret until the version is retired."
SENTENCES = {
    State.PUBLIC: "The answers are in the rows.",
    State.SEALED: KEPT.format("The seeds that make them were"),
    State.OPEN_DEMO: "Open demo: its seeds are known, so anybody can make its answers. "
    "Its results are examples and prove nothing.",
    State.IMPORTED: "Its rows and their ids come from a file. "
    "The download leaves the answers out; anyone with the file has them.",
    State.RETIRED: "Its seeds are published, so anybody can make its answers.",
}
KEYED_SENTENCES = SENTENCES | {
    State.SEALED: KEPT.format("The seeds that make them and the key of the row ids were"),
    State.RETIRED: "Its seeds and the key of its row ids are published, so anybody can make its answers.",
}


@dataclass(frozen=True, slots=True)
class Disclosure:
    """The wording about a version's answers, and what may be shown to readers."""

    state: State
    sentence: str
    keyed: bool  # whether its row ids are keyed hashes
    was_sealed: bool = False  # retired now, and sealed as long as it took submissions

    @property
    def label(self) -> str:
        """In two or three words."""
        return LABELS[self.state]

    @property
    def is_open(self) -> bool:
        """Whether answers can be had although the rows do not hold them, of a version that takes submissions."""
        return self.state in (State.OPEN_DEMO, State.OPEN_IDS)

    @property
    def shows_seeds(self) -> bool:
        """Whether seeds and key may be read: not where the answers that they make are secret."""
        return self.state in (State.PUBLIC, State.OPEN_DEMO, State.RETIRED)

    @property
    def publishes_gold(self) -> bool:
        """Whether everybody may download gold and predictions: the answers are out, on purpose and for good."""
        return self.state in (State.PUBLIC, State.RETIRED)

    @property
    def ranks_uploads(self) -> bool:
        """Whether self-reported results are ranked: its answers are kept, or were until it was closed to uploads."""
        return self.state == State.SEALED or self.was_sealed

    @property
    def hides_splits(self) -> bool:
        """Whether the split of a single row is secret: its place among the lines shown is part of it."""
        return self.keyed and self.state == State.SEALED


def disclosure_of(version: Version) -> Disclosure:
    """What becomes of a version's answers. Cheap: from its columns, its settings and its sample row."""
    state, keyed = _state(version), keyed_ids.is_keyed(version.sample.get("id"))
    if state == State.OPEN_IDS:
        return Disclosure(state, _shown_by_ids(version), keyed)
    has_key = bool(version.settings.get("key"))  # none in a draft from before keys that is frozen now
    was_sealed = state == State.RETIRED and not version.is_open and _was_sealed(version)
    return Disclosure(state, (KEYED_SENTENCES if has_key else SENTENCES)[state], keyed, was_sealed)


def ranks_uploads(version: Version) -> bool:
    """The same as `Disclosure.ranks_uploads`, for lists, which leave out of a version what decides it. Kept."""
    return _ranks_uploads(type(version), version.pk, version.sha256, version.status, version.retired_at)


@lru_cache(maxsize=4096)
def _ranks_uploads(model: type[Version], pk: int, *state: object) -> bool:
    """By the key and all of the state that may change: what is frozen stays as it is."""
    return model.objects.select_related("benchmark").get(pk=pk).disclosure.ranks_uploads


def shows_answers(version: Version, user: Any) -> bool:
    """Whether a reader may see what is right, what held and what systems answered, row by row.

    Everybody may where the answers are out, or can be made by anybody; else who may see gold. Pages of rows and of
    verdicts ask this one function. On all other versions a row is shown as its public row, and a verdict without what
    gives its answer away.

    Args:
        version: That the rows are of.
        user: The reader, signed in or not.
    """
    return version.disclosure.shows_seeds or permissions.may(user, permissions.VIEW_GOLD)


def _state(version: Version) -> State:
    if version.public_gold:
        return State.PUBLIC
    if version.is_import:
        return State.IMPORTED
    if version.retired_at or version.status == version.Status.RETIRED:  # what was published stays known
        return State.RETIRED
    if not _is_secret(version):
        return State.OPEN_DEMO
    return State.OPEN_IDS if _shown_by_ids(version) else State.SEALED


def _was_sealed(version: Version) -> bool:
    """Whether a retired version kept its answers while it took submissions."""
    return _is_secret(version) and not _shown_by_ids(version)


def _is_secret(version: Version) -> bool:
    """Whether the seeds were drawn: a key was drawn with them, or they are too large to be thought of (before keys)."""
    if key := version.settings.get("key"):
        return bool(key != keyed_ids.OPEN_KEY)
    return version.bound.settings.has_secret_seeds


def _shown_by_ids(version: Version) -> str:
    return version.bound.settings.shown_by_ids(version.sample)
