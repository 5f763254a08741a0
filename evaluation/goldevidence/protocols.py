"""Protocols decide which text the rows of a version contain, and so which text a system is given.

    closed    the book of the episode, without its log
    open      the log, without the book
    build     first the log without a question; then the artifact that the system built from it, with the question

A row names its protocol (`meta.protocol`). Rows from before protocols existed name none and contain both texts; for
them `closed_book` or `open_book` chooses the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, cast

from evaluation.core.errors import BenchmarkError, RowError
from evaluation.goldevidence.records import EpisodeRow

TEXTS: Final = ("document", "book")
#: Names of versions frozen before there were protocols: their rows hold both texts.
BEFORE: Final = ("closed_book", "open_book")
#: A preset that makes two versions, one closed and one open.
BOTH: Final = "both"


class Protocol(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    BUILD = "build"

    @property
    def text(self) -> str:
        """Name of the row field that contains the text."""
        return "book" if self is Protocol.CLOSED else "document"

    @property
    def split_name(self) -> str:
        match self:
            case Protocol.CLOSED:
                return "closed_book"
            case Protocol.OPEN:
                return "open_book"
            case Protocol.BUILD:
                return "built_book"

    @property
    def reads(self) -> str:
        """The adapter's protocol (`adapters.base.PROTOCOLS`): `closed_book` reads a book, `open_book` a log."""
        return "open_book" if self is Protocol.OPEN else "closed_book"

    @property
    def about(self) -> str:
        match self:
            case Protocol.CLOSED:
                return "closed: the book only"
            case Protocol.OPEN:
                return "open: the log only"
            case Protocol.BUILD:
                return "build: an artifact is built from the log, and answers come from it alone"


_BY_NAME: Final = {each.value: each for each in Protocol}  # looked up five times per row
NAMES: Final = tuple(each.value for each in Protocol)
#: The splits whose rows show a whole text instead of candidates.
WHOLE: Final = frozenset(each.split_name for each in Protocol)


def protocol_named(name: str) -> Protocol | None:
    """Return the protocol with this name; None for the older names `closed_book` and `open_book`."""
    return Protocol(name) if name in NAMES else None


def protocol_of(row: Mapping[str, object]) -> Protocol | None:
    """Return the protocol that a row names; None for candidates and older rows. Raises RowError for an unknown name."""
    meta = row.get("meta")
    name = meta.get("protocol") if isinstance(meta, Mapping) else None
    if name is None:
        return None
    known = _BY_NAME.get(name) if isinstance(name, str) else None
    if known is None:
        raise RowError(
            f"row {row.get('id')!r} has the unknown protocol {str(name)[:40]!r}: use {', '.join(NAMES)}"
        )
    return known


def is_whole(split: str) -> bool:
    return split in WHOLE


def shown_by(row: EpisodeRow, protocol: Protocol | None) -> EpisodeRow:
    """Return the row with only the text of `protocol`. Raises RowError if the row lacks this text.

    A row with candidates is returned unchanged, like every row if `protocol` is None.
    """
    if protocol is None or row.get("candidates") is not None:
        return row
    if not isinstance(text := row.get(protocol.text), str) or not text:
        raise RowError(
            f"row {row.get('id')!r} has no {protocol.text}, which the protocol {protocol.value!r} shows"
        )
    kept = {name: value for name, value in row.items() if name not in TEXTS}
    meta = {**row.get("meta", {}), "protocol": protocol.value}
    return cast(EpisodeRow, kept | {protocol.text: text, "meta": meta})


def from_artifact(row: EpisodeRow, artifact: str) -> EpisodeRow:
    """Build the row of the second phase of `build`: the artifact replaces the log."""
    kept: dict[str, object] = {name: value for name, value in row.items() if name not in TEXTS}
    return cast(EpisodeRow, kept | {"book": artifact})


def reading(row: Mapping[str, object], requested: str | None) -> str:
    """Return how an adapter reads a row: as `closed_book` or `open_book`.

    The row's own protocol decides, else `requested`. Raises BenchmarkError if they contradict each other.
    """
    own = protocol_of(row)
    if own is None:
        wish = protocol_named(requested or "")
        return wish.reads if wish else requested or BEFORE[0]
    if requested is not None and requested not in (own.value, own.reads):
        raise BenchmarkError(
            f"these rows are of the protocol {own.value!r} ({own.about}); they cannot be answered under {requested!r}"
        )
    return own.reads
