"""What a site publishes of gold that it withholds, so that nobody can change the gold later.

    commitment = HMAC-SHA-256(key of the version's ids,
                              "goldevidencebench commitment 1\\n" + SHA-256 of the gold's lines)

The key is random (256 bits), so that no guess at the gold can be tried; once key and gold are published, anybody
computes the same. Source: commitment by a keyed hash, Katz and Lindell, "Introduction to Modern Cryptography", 5.6.5.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import os

from evaluation.core import jsonl

PREFIX = "goldevidencebench commitment 1\n"


def commitment(key: str, gold_sha256: str) -> str:
    """The commitment to gold under a key.

    Args:
        key: The key of the version's ids: 64 hex digits.
        gold_sha256: Of the lines of the gold, uncompressed.

    Returns:
        64 hex digits.
    """
    return hmac.new(bytes.fromhex(key), f"{PREFIX}{gold_sha256}".encode(), hashlib.sha256).hexdigest()


def content_sha256(path: str | os.PathLike[str]) -> str:
    """The SHA-256 of the lines of a file, uncompressed where it is gzipped."""
    digest = hashlib.sha256()
    with jsonl.open_binary(os.fspath(path)) as lines:
        while chunk := lines.read(io.DEFAULT_BUFFER_SIZE * 128):
            digest.update(chunk)
    return digest.hexdigest()
