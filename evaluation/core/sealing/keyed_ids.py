"""Ids that say nothing: a keyed hash of what they name. Every suite names its rows and units by this one scheme.

    r3f9a0c1d27be    a row           HMAC-SHA-256(key, ["row", unit, question, split]), its first 12 hex digits
    u81c2d90e4f6a    a unit          the same of [kind, unit, "", ""]
    d5be07743ac91    a document      the same of ["document", SHA-256 of its texts, "", ""]

The four parts are hashed as a JSON list of texts, so that no two of them can run into each other. Without the key an id
tells neither seed nor split, and rows that are written in the order of their ids stand in no order at all.

The key of a sealed version is drawn with its seeds, kept with them and published with them. Where the seeds are known
anyway (an *open demo*), so is the key: `OPEN_KEY`.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

from evaluation.core import jsonl

OPEN_KEY = "0" * 64
DIGITS = 12  # 48 bits: among 100,000 rows two collide once in 56,000 versions, and the freeze says so
_KEY = re.compile(r"[0-9a-f]{64}")
_ID = re.compile(rf"[ru][0-9a-f]{{{DIGITS}}}")
_DOCUMENT = re.compile(rf"d[0-9a-f]{{{DIGITS}}}")


def new_key() -> str:
    """A key that nobody can guess: 64 hex digits."""
    return secrets.token_hex(32)


def describe_key(key: str) -> str:
    """A key for a reader: itself, or what the open one is.

    Args:
        key: 64 hex digits.
    """
    return "the open one: 64 zeros" if key == OPEN_KEY else key


def is_key(text: object) -> bool:
    """Whether a text has the form of a key."""
    return isinstance(text, str) and _KEY.fullmatch(text) is not None


def row_id(key: str, *, unit: str, question: str, split: str) -> str:
    """The id of one question under one split.

    Args:
        key: The secret key of the version's ids.
        unit: The name of the unit that the question belongs to.
        question: The name of the question within its unit.
        split: The name of the split.

    Returns:
        The id, `r` and a keyed hash.
    """
    return f"r{_digest(key, 'row', unit, question, split)}"


def unit_id(key: str, *, unit: str, kind: str = "unit") -> str:
    """The id of a unit, or of another kind of thing that has this name.

    Args:
        key: The secret key of the version's ids.
        unit: The name.
        kind: What has the name. Two kinds of one name get two ids.

    Returns:
        The id, `u` and a keyed hash.
    """
    return f"u{_digest(key, kind, unit, '', '')}"


def document_id(key: str, content: str) -> str:
    """The id of a text that rows share.

    Args:
        key: The secret key of the version's ids.
        content: The SHA-256 of the text, in hex digits.

    Returns:
        The id, `d` and a keyed hash.
    """
    return f"d{_digest(key, 'document', content, '', '')}"


def is_keyed_document(text: object) -> bool:
    """Whether a text is the id of a document."""
    return isinstance(text, str) and _DOCUMENT.fullmatch(text) is not None


def is_keyed(text: object) -> bool:
    """Whether a text is the id of a row or a unit in this scheme."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None


def _digest(key: str, *parts: str) -> str:
    return hmac.new(bytes.fromhex(key), jsonl.dumps(parts), hashlib.sha256).hexdigest()[:DIGITS]
