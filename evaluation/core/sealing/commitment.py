"""A published commitment to withheld gold, so that the gold cannot be changed later.

    commitment = HMAC-SHA-256(key of the version's ids,
                              "goldevidencebench commitment 1\\n" + SHA-256 of the gold's lines)

The key is random (256 bits), so guesses at the gold cannot be tested. Once key and gold are published, anyone can
recompute the commitment. Source: Katz and Lindell, "Introduction to Modern Cryptography", 5.6.5 (keyed hash).
"""

from __future__ import annotations

import hashlib
import hmac
import io
import os

from evaluation.core import jsonl

PREFIX = "goldevidencebench commitment 1\n"


def commitment(key: str, gold_sha256: str) -> str:
    """Compute the commitment (64 hex digits) to the SHA-256 of the gold's lines, with a version's key."""
    return hmac.new(bytes.fromhex(key), f"{PREFIX}{gold_sha256}".encode(), hashlib.sha256).hexdigest()


def content_sha256(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file's content, after unpacking gzip."""
    digest = hashlib.sha256()
    with jsonl.open_binary(os.fspath(path)) as lines:
        while chunk := lines.read(io.DEFAULT_BUFFER_SIZE * 128):
            digest.update(chunk)
    return digest.hexdigest()
