"""Downloads: resumed, checked, and never left incomplete."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import httpx2
import pytest

from evaluation.remote.client import Client, ClientError
from evaluation.remote.download import download, files_of
from evaluation.remote.records import Version

ROWS = b'{"id": "E0001-Q001"}\n' * 500
PACKED = gzip.compress(ROWS, mtime=0)
VERSION = {
    "id": "gold/tiny",
    "title": "Tiny",
    "status": "frozen",
    "rows": 2,
    "sha256": "",
    "rows_sha256": hashlib.sha256(ROWS).hexdigest(),
}
RECORD = Version.model_validate(VERSION)


def site(served: bytes = PACKED, *, ranges: bool = True) -> tuple[Client, list[str]]:
    """A site that serves these bytes, and the ranges it was asked for."""
    asked: list[str] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        expected = request.headers.get("Range", "")
        asked.append(expected)
        first = int(expected.removeprefix("bytes=").rstrip("-")) if expected and ranges else 0
        if first >= len(served):
            return httpx2.Response(416)
        headers = {"Content-Length": str(len(served) - first)}
        return httpx2.Response(206 if first else 200, content=iter([served[first:]]), headers=headers)

    return Client("http://site.example", transport=httpx2.MockTransport(handle)), asked


def fetch(client: Client, out: Path) -> list[tuple[int, int]]:
    seen: list[tuple[int, int]] = []
    download(client, files_of(RECORD)[0], out, progress=lambda done, total: seen.append((done, total)))
    return seen


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "rows.gz"


@pytest.fixture
def part(out: Path) -> Path:
    return out.with_name(f"rows.gz.{VERSION['rows_sha256'][:12]}.part")


def test_the_whole_file_arrives_with_progress(out, part):
    client, asked = site()
    assert fetch(client, out)[-1] == (len(PACKED), len(PACKED))
    assert out.read_bytes() == PACKED
    assert asked == [""]
    assert not part.exists()


def test_it_goes_on_where_it_broke_off(out, part):
    part.write_bytes(PACKED[:20])
    client, asked = site()
    fetch(client, out)
    assert asked == ["bytes=20-"]
    assert out.read_bytes() == PACKED


def test_a_server_without_ranges_starts_anew(out, part):
    part.write_bytes(PACKED[:20])
    client, _ = site(ranges=False)
    fetch(client, out)
    assert out.read_bytes() == PACKED


def test_what_is_all_there_is_only_checked(out, part):
    part.write_bytes(PACKED)
    client, _ = site()
    fetch(client, out)
    assert out.read_bytes() == PACKED


@pytest.mark.parametrize("served", [gzip.compress(b"other rows", mtime=0), b"no gzip at all", PACKED[:-9]])
def test_a_file_with_another_hash_is_not_kept(out, part, served):
    client, _ = site(served)
    with pytest.raises(ClientError, match="SHA-256"):
        fetch(client, out)
    assert not out.exists()
    assert not part.exists()


def test_what_arrived_before_a_broken_connection_is_kept(out, part):
    def broken():
        yield PACKED[:30]
        raise httpx2.ReadError("gone")

    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, content=broken()))
    with pytest.raises(ClientError, match="to resume it"):
        fetch(Client("http://site.example", transport=transport), out)
    assert part.read_bytes() == PACKED[:30]
    assert not out.exists()


def test_a_folder_is_refused_before_anything_is_fetched(tmp_path):
    client, asked = site()
    with pytest.raises(ClientError, match="name the file to write"):
        fetch(client, tmp_path)
    assert asked == []
