"""Check the signed receipt of a score against the score that the site publishes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from evaluation.core import jsonl
from evaluation.core.errors import MissingExtraError, RowError
from evaluation.core.sealing import receipts
from evaluation.remote.client import NOT_FOUND, Client, ClientError
from evaluation.remote.records import Basis, Record

KEYS = "/.well-known/receipt-keys.json"


class Receipt(NamedTuple):
    """Result of a check. `verified` is None if nothing could be checked; `why` explains None and False."""

    verified: bool | None
    why: str = ""


def check_receipt(client: Client, basis: Basis) -> Receipt:
    """Verify the receipt of a submission with the site's keys, and compare it with the published score.

    Raises ClientError if the site is unreachable or has no keys.
    """
    try:
        envelope = client.get(f"/submissions/{basis.submission}/receipt", Record).raw
    except ClientError as error:
        if error.status != NOT_FOUND:
            raise
        return Receipt(None, "the site has not signed this score")
    try:
        statement = receipts.verify(envelope, receipts.read_keys(_published_keys(client)))
    except MissingExtraError as error:
        return Receipt(None, str(error))
    except receipts.ReceiptError as error:
        return Receipt(False, str(error))
    return next((Receipt(False, each) for each in _contradictions(statement, basis)), Receipt(True))


def _published_keys(client: Client) -> Any:
    with TemporaryDirectory() as folder:
        path = Path(folder, "keys.json")
        client.fetch(KEYS, path)
        try:
            return jsonl.parse(path.read_bytes())
        except RowError as error:
            raise receipts.ReceiptError(f"the keys of the site are not JSON: {error}") from error


def _contradictions(statement: Mapping[str, Any], basis: Basis) -> Iterator[str]:
    """Yield a sentence for each fact that differs between receipt and site."""
    said, figure = statement.get("predicate", {}), basis.headline
    signed = said.get("headline", {})
    pairs = {
        "submission": (said.get("submission"), basis.submission),
        "version": (said.get("version"), basis.version),
        "grader": (said.get("grader"), basis.grader),
        "statistics": (said.get("statistics"), basis.statistics),
        "headline": (signed.get("name"), basis.name),
        basis.name: (signed.get("value"), figure.value),
    }
    if figure.value is not None:
        pairs["interval"] = ((signed.get("low"), signed.get("high")), (figure.low, figure.high))
    if len(basis.predictions) == 1:  # those of a mean are the files of its repeats
        digests = [each.get("digest", {}).get("sha256") for each in statement.get("subject", [])]
        pairs["predictions"] = (digests, [basis.predictions[0].content_sha256])
    for what, (theirs, ours) in pairs.items():
        if theirs != ours:
            yield f"{what} is {theirs} in the receipt and {ours} on the site"
