"""Send a stored file: streamed, resumable by Range, not sent again to a client that has it (ETag).

The ETag is the SHA-256 of the file's content, which is its name in the storage: the same bytes for ever.
"""

from __future__ import annotations

import re
from typing import IO

from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.utils.cache import get_conditional_response

from evaluation.core import jsonl
from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version

RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


def send(request: HttpRequest, sha256: str, *, name: str, private: bool = False) -> HttpResponseBase:
    """Send the packed file as a download.

    Args:
        request: May ask for a range, or name the ETag that the client has.
        sha256: Of the file's content: its name in the storage, and the ETag.
        name: What the download is called.
        private: Whether caches of others may not keep it; it is then requested again each time.

    Returns:
        200, 206 for a range, 304, 412 or 416.

    Raises:
        storage.MissingFileError: The storage has no such file.
    """
    response = _answer(request, sha256, name)
    if response.status_code not in (412, 416):
        response["X-Content-SHA256"] = sha256
        response["X-File-SHA256"] = storage.packed_sha256(sha256)
        response["Cache-Control"] = "private, no-cache" if private else "public, max-age=31536000, immutable"
    response["ETag"] = f'"{sha256}"'
    response["Accept-Ranges"] = "bytes"
    return response


def rows_name(version: Version) -> str:
    """What a download of the rows is called."""
    return f"{version.benchmark.slug}-{version.slug}.rows.jsonl.gz"


def documents_name(version: Version) -> str:
    """What a download of the documents is called; `evaluation.core.files.documents.beside` finds it by the rows'."""
    return f"{version.benchmark.slug}-{version.slug}.documents.jsonl.gz"


def send_documents(request: HttpRequest, version: Version) -> HttpResponseBase:
    """Send the texts that the rows of a version name.

    Args:
        request: As of `send`.
        version: A frozen or retired one.

    Returns:
        As `send`.

    Raises:
        Http404: Its rows hold their texts.
    """
    if not version.documents_sha256:
        raise Http404("The rows of this version hold their texts: there are no documents.")
    return send(request, version.documents_sha256, name=documents_name(version))


def send_gold(request: HttpRequest, version: Version) -> HttpResponseBase:
    """Send the gold of a version, once it is published.

    Args:
        request: As of `send`.
        version: A frozen or retired one.

    Returns:
        As `send`.

    Raises:
        Http404: The site keeps it, or it is another's.
    """
    if not version.disclosure.publishes_gold:
        raise Http404("The gold of this version is not published.")
    return send(request, version.gold_sha256, name=gold_name(version))


def send_in_format(version: Version, name: str) -> HttpResponseBase:
    """Send the rows of a version in a format of others, made as they are sent.

    Args:
        version: A frozen or retired one.
        name: One of the formats that its suite offers.

    Returns:
        JSON lines.

    Raises:
        Http404: The suite has no such format.
    """
    formats = version.suite.display.formats
    if name not in formats:
        raise Http404(f"The rows of this version cannot be had as {name!r}.")
    lines = (jsonl.dumps(formats[name](row)) + b"\n" for row in storage.rows(version.rows_sha256))
    response = StreamingHttpResponse(lines, content_type="application/x-ndjson")
    file = f"{version.benchmark.slug}-{version.slug}.{name}.jsonl"
    response["Content-Disposition"] = f'attachment; filename="{file}"'
    return response


def gold_name(version: Version) -> str:
    """What a download of the gold is called."""
    return f"{version.benchmark.slug}-{version.slug}.gold.jsonl.gz"


def _answer(request: HttpRequest, sha256: str, name: str) -> HttpResponseBase:
    etag = f'"{sha256}"'
    if not_modified := get_conditional_response(request, etag=etag):
        return not_modified
    packed = storage.open_packed(sha256)
    size = packed.seek(0, 2)
    packed.seek(0)
    byte_range = _range(request, etag, size)
    if byte_range is None:
        return FileResponse(packed, as_attachment=True, filename=name, content_type="application/gzip")
    first, last = byte_range
    if first > last:
        packed.close()
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    packed.seek(first)
    part = _Part(packed, last - first + 1)
    response = FileResponse(
        part, status=206, as_attachment=True, filename=name, content_type="application/gzip"
    )
    response["Content-Range"] = f"bytes {first}-{last}/{size}"
    response["Content-Length"] = str(last - first + 1)
    return response


def _range(request: HttpRequest, etag: str, size: int) -> tuple[int, int] | None:
    """First and last byte asked for, cut to the file; first > last where it cannot be had, None: all of it.

    As RFC 9110 allows, several ranges at once are answered with the whole file, and so is a range of an
    older file.
    """
    match = RANGE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    if not match or request.headers.get("If-Range", etag) != etag or not (match[1] or match[2]):
        return None
    if not match[1]:
        length = int(match[2])
        return (max(0, size - length), size - 1) if length else (size, size - 1)
    first = int(match[1])
    last = min(int(match[2]), size - 1) if match[2] else size - 1
    if match[2] and int(match[2]) < first:
        return None
    return first, last


class _Part:
    """The next `left` bytes of an open file, as a file."""

    def __init__(self, packed: IO[bytes], left: int) -> None:
        self._packed, self._left = packed, left
        self.close = packed.close

    def read(self, size: int) -> bytes:
        chunk = self._packed.read(min(size, self._left))
        self._left -= len(chunk)
        return chunk
