"""Protocols: what the rows of a version show, and so what its systems are handed.

    closed    the book of the episode, and no log
    open      its log, and no book
    build     its log first, without a question; then the artifact that the system made of it, with the question

The row itself names its protocol (`meta.protocol`). Rows made before there were protocols name none and hold
both texts; `closed_book` and `open_book` then say which of them is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, cast

from evaluation.core.errors import BenchmarkError, RowError
from evaluation.goldevidence.records import EpisodeRow

TEXTS: Final = ("document", "book")
#: What versions were frozen under before: rows that hold both texts.
BEFORE: Final = ("closed_book", "open_book")
#: A preset of which two versions are made, one closed and one open.
BOTH: Final = "both"


class Protocol(StrEnum):
    """What a row shows beside its question."""

    CLOSED = "closed"
    OPEN = "open"
    BUILD = "build"

    @property
    def text(self) -> str:
        """The field of a row that holds what it shows."""
        return "book" if self is Protocol.CLOSED else "document"

    @property
    def split_name(self) -> str:
        """What the rows with the whole text are called among the splits of a version."""
        match self:
            case Protocol.CLOSED:
                return "closed_book"
            case Protocol.OPEN:
                return "open_book"
            case Protocol.BUILD:
                return "built_book"

    @property
    def reads(self) -> str:
        """What an adapter is told when it answers (`adapters.base.PROTOCOLS`): whether it reads a book or a log."""
        return "open_book" if self is Protocol.OPEN else "closed_book"

    @property
    def about(self) -> str:
        """For a reader."""
        match self:
            case Protocol.CLOSED:
                return "closed: the book only"
            case Protocol.OPEN:
                return "open: the log only"
            case Protocol.BUILD:
                return "build: an artifact is built from the log, and answers come from it alone"


_BY_NAME: Final = {each.value: each for each in Protocol}  # asked for five times a row
NAMES: Final = tuple(each.value for each in Protocol)
#: The splits whose rows show a whole text instead of candidates.
WHOLE: Final = frozenset(each.split_name for each in Protocol)


def protocol_named(name: str) -> Protocol | None:
    """The protocol that a setting names; None for one of those before."""
    return Protocol(name) if name in NAMES else None


def protocol_of(row: Mapping[str, object]) -> Protocol | None:
    """The protocol of a row. None where it names none: a row with candidates, or one made before there were protocols.

    Raises RowError for a name that nobody knows.
    """
    meta = row.get("meta")
    name = meta.get("protocol") if isinstance(meta, Mapping) else None
    if name is None:
        return None
    known = _BY_NAME.get(name) if isinstance(name, str) else None
    if known is None:
        raise RowError(
            f"row {row.get('id')!r} has a protocol that is none of {', '.join(NAMES)}: {str(name)[:40]!r}"
        )
    return known


def is_whole(split: str) -> bool:
    """Whether rows of a split show a whole text."""
    return split in WHOLE


def shown_by(row: EpisodeRow, protocol: Protocol | None) -> EpisodeRow:
    """The row as its protocol shows it; rows with candidates show these alone.

    Args:
        row: A row with both texts.
        protocol: None leaves it as it is, with both.

    Raises:
        RowError: It has not the text that the protocol shows.
    """
    if protocol is None or row.get("candidates") is not None:
        return row
    if not isinstance(text := row.get(protocol.text), str) or not text:
        raise RowError(
            f"row {row.get('id')!r} has no {protocol.text}, which is what {protocol.value!r} shows"
        )
    kept = {name: value for name, value in row.items() if name not in TEXTS}
    meta = {**row.get("meta", {}), "protocol": protocol.value}
    return cast(EpisodeRow, kept | {protocol.text: text, "meta": meta})


def from_artifact(row: EpisodeRow, artifact: str) -> EpisodeRow:
    """The second phase of a row: its question with the artifact in place of the log.

    Args:
        row: A row of the protocol `build`.
        artifact: What was built from its log.
    """
    kept: dict[str, object] = {name: value for name, value in row.items() if name not in TEXTS}
    return cast(EpisodeRow, kept | {"book": artifact})


def reading(row: Mapping[str, object], requested: str | None) -> str:
    """What an adapter is told of rows like this one: what they name themselves, else what was asked for.

    Args:
        row: The first row of a file.
        requested: One of `BEFORE`, or the name of a protocol; None for no wish.

    Raises:
        BenchmarkError: The rows are of another protocol than the one asked for.
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
