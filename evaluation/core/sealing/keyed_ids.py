"""Opaque ids of rows, units and documents in all suites: keyed hashes of their names.

    r3f9a0c1d27be    a row           first 12 hex digits of HMAC-SHA-256(key, ["row", unit, question, split])
    u81c2d90e4f6a    a unit          the same for [kind, unit, "", ""]
    d5be07743ac91    a document      the same for ["document", SHA-256 of its texts, "", ""]

The four parts are hashed as a JSON list of texts, so that different parts never make the same text. Without the key an
id reveals neither seed nor split, and rows sorted by id are in random order.

The key of a sealed version is drawn, stored and published together with its seeds. If the seeds are public (an *open
demo*), so is the key: `OPEN_KEY`.
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
    """A random key: 64 hex digits."""
    return secrets.token_hex(32)


def describe_key(key: str) -> str:
    """The key for display: hex digits, or words for the public key `OPEN_KEY`."""
    return "64 zeros (public)" if key == OPEN_KEY else key


def is_key(text: object) -> bool:
    return isinstance(text, str) and _KEY.fullmatch(text) is not None


def row_id(key: str, *, unit: str, question: str, split: str) -> str:
    """Id of one question under one split: `r` and a keyed hash."""
    return f"r{_digest(key, 'row', unit, question, split)}"


def unit_id(key: str, *, unit: str, kind: str = "unit") -> str:
    """Return `u` and a keyed hash of `unit`, the name of a unit or of another `kind` of entity."""
    return f"u{_digest(key, kind, unit, '', '')}"


def document_id(key: str, content: str) -> str:
    """Id of a text that rows share, from the SHA-256 of its content: `d` and a keyed hash."""
    return f"d{_digest(key, 'document', content, '', '')}"


def is_keyed_document(text: object) -> bool:
    return isinstance(text, str) and _DOCUMENT.fullmatch(text) is not None


def is_keyed(text: object) -> bool:
    return isinstance(text, str) and _ID.fullmatch(text) is not None


def _digest(key: str, *parts: str) -> str:
    return hmac.new(bytes.fromhex(key), jsonl.dumps(parts), hashlib.sha256).hexdigest()[:DIGITS]
