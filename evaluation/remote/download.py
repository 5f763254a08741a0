"""Download the rows and documents of a version: resumable, and stored only if the SHA-256 is right."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx2

from evaluation.core import jsonl
from evaluation.core.connections import cause_of
from evaluation.core.files.documents import beside
from evaluation.core.sealing.commitment import content_sha256
from evaluation.remote.client import Client, ClientError, error_of
from evaluation.remote.records import Version

PARTIAL = 206
UNSATISFIABLE = 416
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a version: its name in the API, and the SHA-256 of its lines."""

    what: str  # rows | documents
    version_id: str
    sha256: str


def files_of(version: Version) -> list[RemoteFile]:
    """The files of a version: rows, and documents if the version has them."""
    files = [RemoteFile("rows", version.id, version.rows_sha256)]
    if version.documents_sha256:
        files.append(RemoteFile("documents", version.id, version.documents_sha256))
    return files


def place_of(file: RemoteFile, out: Path) -> Path:
    """The path for a file: `out` for rows, the default documents file beside `out` for documents."""
    return out if file.what == "rows" else beside.beside(out)


def download(client: Client, file: RemoteFile, out: Path, *, progress: Progress) -> int:
    """Download a gzip file, and return its size. `progress` gets bytes received and total. Raises ClientError."""
    if out.is_dir():
        raise ClientError(f"{out} is a folder: name the file to write")
    # named by its hash, so that a later call continues it and never mixes two versions
    part = out.with_name(f"{out.name}.{file.sha256[:12]}.part")
    try:
        _fetch(client, file, part, progress)
    except httpx2.RequestError as error:
        cause = cause_of(error, client.url)
        why = cause.text if cause else error or type(error).__name__
        raise ClientError(f"the download broke off ({why}). Run the command again to resume it.") from error
    if _content_sha256(part) != file.sha256:
        part.unlink()
        raise ClientError(
            f"the downloaded {file.what} do not have the version's SHA-256: run the command again."
        )
    part.replace(out)
    return out.stat().st_size


def flatten(rows: Path, documents: Path, out: Path) -> int:
    """Join rows and documents into one file, atomically. Returns the number of rows. Raises RowError."""
    flat = out.with_name(f".{out.name[:200]}.flat{''.join(out.suffixes[-1:])}")
    try:
        count = jsonl.write(flat, beside.read(rows, documents))
        flat.replace(out)
    finally:
        flat.unlink(missing_ok=True)
    return count


def _fetch(client: Client, file: RemoteFile, part: Path, progress: Progress) -> None:
    have = part.stat().st_size if part.exists() else 0
    headers = {"Range": f"bytes={have}-", "If-Range": f'"{file.sha256}"'} if have else {}
    with client.stream(f"/versions/{file.version_id}/{file.what}", **headers) as response:
        if response.status_code == UNSATISFIABLE:  # all of it is here
            return
        if response.is_error:
            response.read()
            raise error_of(response)
        have = have if response.status_code == PARTIAL else 0
        total = have + int(response.headers.get("Content-Length", 0))
        part.parent.mkdir(parents=True, exist_ok=True)
        with open(part, "r+b" if have else "wb") as out:
            out.seek(have)
            for chunk in response.iter_raw():
                out.write(chunk)
                have += len(chunk)
                progress(have, total)


def _content_sha256(packed: Path) -> str:
    try:
        return content_sha256(packed)
    except (OSError, EOFError, zlib.error):
        return ""
