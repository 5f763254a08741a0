"""Split a row and its shared long texts, join them, and shorten them for display."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import TypeVar, cast

from evaluation.core import jsonl
from evaluation.core.records import JsonObject
from evaluation.core.sealing import keyed_ids

#: Field that names a row's document, in the position of its texts.
DOCUMENT_ID = "document_id"
#: Most characters of a text on a page, half of them from its end: some 6,000 tokens.
SHOWN_CHARACTERS = 24_000
Texts = Mapping[str, str]
Fields = TypeVar("Fields", bound=Mapping[str, object])


def texts_of(row: JsonObject, shared: Collection[str]) -> dict[str, str]:
    """Collect the texts of a row by field name, from the `shared` fields that are not empty."""
    return {name: row[name] for name in row if name in shared and isinstance(row[name], str) and row[name]}


def name_of(texts: Texts, key: str) -> str:
    """Compute the id of a document: a hash of its texts, keyed by the version's key. Equal texts have equal ids."""
    digest = hashlib.sha256()
    for name, text in texts.items():
        digest.update(name.encode() + b"\0")
        digest.update(hashlib.sha256(text.encode(errors="surrogatepass")).digest())
    return keyed_ids.document_id(key, digest.hexdigest())


def parted(row: Fields, texts: Texts, document_id: str) -> Fields:
    """Replace the texts of a row by the id of their document, at the position of the first text."""
    short: dict[str, object] = {}
    for name, value in row.items():
        if name in texts:
            short.setdefault(DOCUMENT_ID, document_id)
        else:
            short[name] = value
    return cast(Fields, short)


def joined(row: Fields, texts: Texts) -> Fields:
    """Put the texts of a document back into a row: the inverse of `parted`."""
    whole: dict[str, object] = {}
    for name, value in row.items():
        if name == DOCUMENT_ID:
            whole |= texts
        else:
            whole[name] = value
    return cast(Fields, whole)


def document_named(row: JsonObject) -> str | None:
    """Return the row's `document_id`, or None if it is missing or does not have the form of a document id."""
    name = row.get(DOCUMENT_ID)
    return name if name is not None and keyed_ids.is_keyed_document(name) else None


def cut(row: Fields, shared: Collection[str], *, most: int = SHOWN_CHARACTERS) -> Fields:
    """Shorten the `shared` texts of a row to `most` characters for display; shorter texts are unchanged."""
    long = {name: cut_text(text, most) for name, text in texts_of(row, shared).items() if len(text) > most}
    return cast(Fields, {**row, **long}) if long else row


def cut_text(text: str, most: int) -> str:
    """Shorten a text to about `most` characters: its beginning, a line with the number of characters cut, its end."""
    if len(text) <= most:
        return text
    head, tail = text[: most // 2], text[-(most // 2) :]
    head = head[: head.rfind("\n") + 1] or head
    tail = tail[tail.find("\n") + 1 :] or tail
    left_out = len(text) - len(head) - len(tail)
    return f"{head}\n[… cut here: {left_out:,} of {len(text):,} characters are left out …]\n\n{tail}"


def document_line(document_id: str, texts: Texts, extra: Mapping[str, object]) -> bytes:
    """Encode a document as a JSON line without newline. All lines repeat the `extra` fields, such as a canary."""
    return jsonl.dumps({"id": document_id, **texts, **extra})
