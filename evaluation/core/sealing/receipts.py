"""Receipts: statements about a score that a site signs, in an envelope that anyone can verify without the site.

The envelope is DSSE's (https://github.com/secure-systems-lab/dsse, version 1), the statement in-toto's. Keys are
Ed25519 (RFC 8032).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError, MissingExtraError

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:goldevidencebench:receipt:1"


class ReceiptError(BenchmarkError):
    """A receipt is malformed, was changed, or was not signed by any of the given keys."""


class Signature(TypedDict):
    keyid: str
    sig: str  # base64


class Envelope(TypedDict):
    payload: str
    payloadType: str
    signatures: list[Signature]


def new_key() -> tuple[bytes, bytes]:
    """Draw a new key pair. Returns (private key, public key), 32 bytes each."""
    private = _keys().Ed25519PrivateKey.generate()
    return private.private_bytes_raw(), private.public_key().public_bytes_raw()


def sign(statement: Mapping[str, object], *, keyid: str, private: bytes) -> Envelope:
    payload = jsonl.canonical(statement)
    signature = _keys().Ed25519PrivateKey.from_private_bytes(private).sign(_signed(PAYLOAD_TYPE, payload))
    return {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [{"keyid": keyid, "sig": base64.b64encode(signature).decode()}],
    }


def verify(envelope: Any, public_keys: Sequence[bytes]) -> dict[str, Any]:
    """Verify an envelope and return its statement. Raises ReceiptError if malformed or not signed by a given key."""
    payload_type, payload, signatures = _parts(envelope)
    if payload_type != PAYLOAD_TYPE:
        raise ReceiptError(f"the receipt's payload type is {payload_type!r}, not {PAYLOAD_TYPE!r}")
    message = _signed(payload_type, payload)
    if not any(_fits(key, signature, message) for key in public_keys for signature in signatures):
        raise ReceiptError(
            "none of the given keys signed this receipt: the receipt was changed, or is from another site"
        )
    statement: dict[str, Any] = jsonl.parse(payload)
    return statement


def read_keys(published: Any) -> list[bytes]:
    """Read the public keys that a site publishes, including retired keys. Raises ReceiptError for malformed data."""
    try:
        keys = [bytes.fromhex(each["public"]) for each in published["keys"]]
    except (TypeError, KeyError, ValueError) as error:
        raise ReceiptError(
            "the keys do not have the format of a site's /.well-known/receipt-keys.json"
        ) from error
    if any(len(key) != 32 for key in keys):
        raise ReceiptError("a public key must have 32 bytes: 64 hexadecimal digits")
    return keys


def _parts(envelope: Any) -> tuple[str, bytes, list[bytes]]:
    try:
        signatures = [base64.b64decode(each["sig"], validate=True) for each in envelope["signatures"]]
        payload = base64.b64decode(envelope["payload"], validate=True)
        return str(envelope["payloadType"]), payload, signatures
    except (TypeError, KeyError, ValueError, binascii.Error) as error:
        raise ReceiptError(
            "this is not a receipt: a DSSE envelope has payload, payloadType and signatures"
        ) from error


def _fits(key: bytes, signature: bytes, message: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        _keys().Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def _signed(payload_type: str, payload: bytes) -> bytes:
    """The signed bytes: DSSE's pre-authentication encoding."""
    return b"DSSEv1 %d %s %d %s" % (len(payload_type), payload_type.encode(), len(payload), payload)


def _keys() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        raise MissingExtraError("Receipts", "receipts", ["cryptography"]) from error
    return ed25519
