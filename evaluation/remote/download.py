"""Download the rows of a version: goes on where it broke off, and is kept only if its SHA-256 is right."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from evaluation.remote.client import Client, ClientError, error_of

PARTIAL = 206
UNSATISFIABLE = 416
Progress = Callable[[int, int], None]


def download(client: Client, version: dict[str, Any], out: Path, *, progress: Progress) -> int:
    """Write the packed rows to `out`; the number of bytes. `progress(done, total)` counts bytes.

    The part that has arrived lies beside `out` under a name with the version's hash, so that a later call
    goes on from there and never mixes two versions. Raises ClientError.
    """
    if out.is_dir():
        raise ClientError(f"{out} is a folder: name the file to write")
    sha256 = version["rows_sha256"]
    part = out.with_name(f"{out.name}.{sha256[:12]}.part")
    try:
        _fetch(client, version["id"], sha256, part, progress)
    except httpx.RequestError as error:
        raise ClientError(
            f"the download broke off ({error}). Run it again: it goes on from there."
        ) from error
    if _content_sha256(part) != sha256:
        part.unlink()
        raise ClientError("the downloaded rows do not have the version's SHA-256. Run it again.")
    part.replace(out)
    return out.stat().st_size


def _fetch(client: Client, version_id: str, sha256: str, part: Path, progress: Progress) -> None:
    """Append what is missing to the part."""
    have = part.stat().st_size if part.exists() else 0
    headers = {"Range": f"bytes={have}-", "If-Range": f'"{sha256}"'} if have else {}
    with client.stream(f"/versions/{version_id}/rows", **headers) as response:
        if response.status_code == UNSATISFIABLE:  # all of it is here
            return
        if response.is_error:
            response.read()
            raise error_of(response)
        have = have if response.status_code == PARTIAL else 0
        total = have + int(response.headers.get("Content-Length", 0))
        with open(part, "r+b" if have else "wb") as out:
            out.seek(have)
            for chunk in response.iter_raw():
                out.write(chunk)
                have += len(chunk)
                progress(have, total)


def _content_sha256(packed: Path) -> str:
    """SHA-256 of the unpacked content; empty where it cannot be unpacked."""
    digest = hashlib.sha256()
    try:
        with gzip.open(packed, "rb") as content:
            while chunk := content.read(1 << 20):
                digest.update(chunk)
    except (OSError, EOFError, zlib.error):
        return ""
    return digest.hexdigest()
