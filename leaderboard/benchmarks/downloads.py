"""Send a stored file: streamed, resumable by Range, never sent to who has it (ETag).

The ETag is the SHA-256 of the file's content, which is its name in the storage: the same bytes for ever.
"""

from __future__ import annotations

import re
from typing import IO

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import get_conditional_response

from leaderboard.benchmarks import storage
from leaderboard.benchmarks.models import Version

RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


def send(request: HttpRequest, sha256: str, *, name: str, private: bool = False) -> HttpResponseBase:
    """The packed file as a download: 200, 206 for a range, 304 or 416. A `private` one is asked for anew each time."""
    response = _answer(request, sha256, name)
    if response.status_code not in (412, 416):
        response["X-Content-SHA256"] = sha256
        response["Cache-Control"] = "private, no-cache" if private else "public, max-age=31536000, immutable"
    response["ETag"] = f'"{sha256}"'
    response["Accept-Ranges"] = "bytes"
    return response


def rows_name(version: Version) -> str:
    """What a download of the rows is called."""
    return f"{version.benchmark.slug}-{version.slug}.rows.jsonl.gz"


def _answer(request: HttpRequest, sha256: str, name: str) -> HttpResponseBase:
    etag = f'"{sha256}"'
    if not_modified := get_conditional_response(request, etag=etag):
        return not_modified
    packed = storage.open_packed(sha256)
    size = packed.seek(0, 2)
    packed.seek(0)
    wanted = _range(request, etag, size)
    if wanted is None:
        return FileResponse(packed, as_attachment=True, filename=name, content_type="application/gzip")
    first, last = wanted
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
    found = RANGE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    if not found or request.headers.get("If-Range", etag) != etag or not (found[1] or found[2]):
        return None
    if not found[1]:
        length = int(found[2])
        return (max(0, size - length), size - 1) if length else (size, size - 1)
    first = int(found[1])
    last = min(int(found[2]), size - 1) if found[2] else size - 1
    if found[2] and int(found[2]) < first:
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
