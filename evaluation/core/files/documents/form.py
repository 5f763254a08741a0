"""A row and the long texts that it shares with others: parted, put together again, and cut for a reader."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import TypeVar, cast

from evaluation.core import jsonl
from evaluation.core.records import JsonObject
from evaluation.core.sealing import keyed_ids

#: The field by which a row names its document; it stands where the texts stood.
DOCUMENT_ID = "document_id"
#: Characters of a text that a page shows of it at most, half of them from its end: some 6,000 tokens.
SHOWN_CHARACTERS = 24_000
Texts = Mapping[str, str]
Fields = TypeVar("Fields", bound=Mapping[str, object])


def texts_of(row: JsonObject, shared: Collection[str]) -> dict[str, str]:
    """The long texts of a row.

    Args:
        row: A row with its texts.
        shared: The names of the fields that rows share.

    Returns:
        Name -> text of those that the row has; empty where it has none.
    """
    return {name: row[name] for name in row if name in shared and isinstance(row[name], str) and row[name]}


def name_of(texts: Texts, key: str) -> str:
    """The id of a document: a keyed hash of its content, the same wherever the same text stands.

    Args:
        texts: Name -> text.
        key: The key of the version's ids.
    """
    digest = hashlib.sha256()
    for name, text in texts.items():
        digest.update(name.encode() + b"\0")
        digest.update(hashlib.sha256(text.encode(errors="surrogatepass")).digest())
    return keyed_ids.document_id(key, digest.hexdigest())


def parted(row: Fields, texts: Texts, document_id: str) -> Fields:
    """A row that names its document instead of repeating it.

    Args:
        row: A row with its texts.
        texts: Those that stand in the document.
        document_id: The name of the document.

    Returns:
        A new row; the name stands where the first of the texts stood.
    """
    short: dict[str, object] = {}
    for name, value in row.items():
        if name in texts:
            short.setdefault(DOCUMENT_ID, document_id)
        else:
            short[name] = value
    return cast(Fields, short)


def joined(row: Fields, texts: Texts) -> Fields:
    """The row with its texts in place of the name of their document: what `parted` was given.

    Args:
        row: A row that names its document.
        texts: Of the document.
    """
    whole: dict[str, object] = {}
    for name, value in row.items():
        if name == DOCUMENT_ID:
            whole |= texts
        else:
            whole[name] = value
    return cast(Fields, whole)


def document_named(row: JsonObject) -> str | None:
    """The document that a row names instead of repeating it; None where it names none.

    A field of that name which holds something else than one of our ids is the row's own.
    """
    name = row.get(DOCUMENT_ID)
    return name if name is not None and keyed_ids.is_keyed_document(name) else None


def cut(row: Fields, shared: Collection[str], *, most: int = SHOWN_CHARACTERS) -> Fields:
    """A row for a reader: of a text that is longer its beginning and its end, and between them how much is left out.

    Args:
        row: A row with its texts.
        shared: The names of the fields that hold long texts.
        most: Characters of each that are kept at most.

    Returns:
        The row itself where nothing is longer, else a new one.
    """
    long = {name: cut_text(text, most) for name, text in texts_of(row, shared).items() if len(text) > most}
    return cast(Fields, {**row, **long}) if long else row


def cut_text(text: str, most: int) -> str:
    """A text for a reader.

    Args:
        text: Of any length.
        most: Characters that are kept of it at most.

    Returns:
        The text, or its first and last lines with a line between them that says how many characters are left out.
    """
    if len(text) <= most:
        return text
    head, tail = text[: most // 2], text[-(most // 2) :]
    head = head[: head.rfind("\n") + 1] or head
    tail = tail[tail.find("\n") + 1 :] or tail
    left_out = len(text) - len(head) - len(tail)
    return f"{head}\n[… cut here: {left_out:,} of {len(text):,} characters are left out …]\n\n{tail}"


def document_line(document_id: str, texts: Texts, extra: Mapping[str, object]) -> bytes:
    """The line of a document, without its newline.

    Args:
        document_id: Its name.
        texts: Name -> text.
        extra: Further fields of every line, such as a version's canary.
    """
    return jsonl.dumps({"id": document_id, **texts, **extra})
