"""Versions: lists, rows by Range and ETag, and the dry run."""

from __future__ import annotations

import base64
import gzip
import hashlib

import pytest

from leaderboard.benchmarks.models import Version

ROWS = "/versions/goldevidencebench/tiny/rows"


def body(response) -> bytes:
    return b"".join(response.streaming_content)


def test_a_version_says_its_settings_its_hash_and_where_its_rows_are(anybody, version):
    answered = anybody("GET", "/versions/goldevidencebench/tiny").json()
    assert answered["sha256"] == version.sha256
    assert answered["rows"] == version.row_count
    assert answered["answers"]["state"] == "open_demo"
    assert {"label": "Seeds", "text": "0"} in answered["settings"]
    assert "gold" not in answered["sample"]
    assert (
        hashlib.sha256(gzip.decompress(body(anybody("GET", answered["rows_url"])))).hexdigest()
        == answered["rows_sha256"]
    )


def test_a_draft_is_not_there(anybody, version):
    Version.objects.create(benchmark=version.benchmark, slug="draft", title="Draft")
    assert anybody("GET", "/versions/goldevidencebench/draft").status_code == 404
    assert [one["id"] for one in anybody("GET", "/versions").json()["items"]] == ["goldevidencebench/tiny"]


def test_rows_stay_packed_once_and_keep_their_length_where_a_client_takes_gzip(anybody, version):
    response = anybody("GET", ROWS, Accept_Encoding="gzip")
    assert "Content-Encoding" not in response.headers
    assert int(response["Content-Length"]) == len(body(response)) == version.rows_bytes
    assert response["X-Content-SHA256"] == version.rows_sha256


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [("bytes=0-9", 0, 9), ("bytes=10-", 10, None), ("bytes=-5", -5, None), ("bytes=5-999999999", 5, None)],
)
def test_a_range_is_that_part_of_the_file(anybody, version, asked, first, last):
    whole = body(anybody("GET", ROWS))
    response = anybody("GET", ROWS, Range=asked)
    part = whole[first : None if last is None else last + 1]
    assert response.status_code == 206
    assert body(response) == part
    start = first % len(whole)
    assert response["Content-Range"] == f"bytes {start}-{start + len(part) - 1}/{len(whole)}"
    assert response["Content-Length"] == str(len(part))


@pytest.mark.parametrize("asked", ["bytes=0-1,4-5", "bytes=9-2", "bytes=-", "lines=1-2", "bytes=x-"])
def test_what_is_no_single_range_gets_the_whole_file(anybody, version, asked):
    response = anybody("GET", ROWS, Range=asked)
    assert response.status_code == 200
    assert len(body(response)) == version.rows_bytes


@pytest.mark.parametrize("asked", ["bytes=999999999-", "bytes=-0"])
def test_a_range_beyond_the_end_is_416_with_the_size(anybody, version, asked):
    response = anybody("GET", ROWS, Range=asked)
    assert response.status_code == 416
    assert response["Content-Type"] == "application/problem+json"
    assert response["Content-Range"] == f"bytes */{version.rows_bytes}"


def test_a_range_of_another_file_gets_the_whole_one(anybody, version):
    response = anybody("GET", ROWS, Range="bytes=5-", If_Range='"something else"')
    assert (response.status_code, len(body(response))) == (200, version.rows_bytes)


def test_rows_that_a_client_has_are_not_sent_again(anybody, version):
    assert anybody("GET", ROWS, If_None_Match=f'"{version.rows_sha256}"').status_code == 304


def test_the_page_sends_the_same_download(client, version):
    response = client.get("/versions/goldevidencebench/tiny/rows.jsonl.gz", headers={"Range": "bytes=0-1"})
    assert (response.status_code, body(response)) == (206, b"\x1f\x8b")


@pytest.mark.parametrize(
    "path", ["/benchmarks", "/versions", "/versions/goldevidencebench/tiny", "/systems", "/submissions"]
)
def test_a_public_answer_that_did_not_change_is_not_sent_again(anybody, version, path):
    first = anybody("GET", path)
    assert anybody("GET", path, If_None_Match=first["ETag"]).status_code == 304
    assert first["Cache-Control"] == "public, no-cache"
    assert "Authorization" in first["Vary"]


def test_what_an_account_sees_is_not_kept_by_shared_caches(ada, version):
    assert ada("GET", "/versions")["Cache-Control"] == "private, no-cache"


def test_head_is_get_without_the_body(anybody, version):
    for path in ("/versions", ROWS):
        head, get = anybody("HEAD", path), anybody("GET", path)
        assert (head.status_code, head["ETag"]) == (200, get["ETag"])
        assert head["Content-Length"] == get["Content-Length"]
        assert (body(head) if head.streaming else head.content) == b""
        get.close()


def test_the_dry_run_stores_nothing_and_says_what_the_file_covers(ada, version, predictions, user):
    data = predictions(version).read_bytes()
    response = ada("POST", "/versions/goldevidencebench/tiny/validate", data, kind="application/x-ndjson")
    assert response.json() == {
        "valid": True,
        "rows": version.row_count,
        "conditions": ["closed_book"],
        "row_states": {"answered": version.row_count},
        "warning": "",
        "warnings": [],
    }
    assert not user.submissions.exists()


def test_the_dry_run_names_the_problems_with_their_lines(ada, version):
    data = b'{"id": "nobody", "value": "x"}\nno json\n'
    response = ada("POST", "/versions/goldevidencebench/tiny/validate", data, kind="text/plain")
    answered = response.json()
    assert (response.status_code, answered["type"]) == (422, "urn:goldevidencebench:problem:rejected-file")
    assert [(one["line"], one["code"]) for one in answered["problems"]] == [
        (1, "unknown_id"),
        (2, "not_json"),
    ]
    assert answered["counts"] == {"unknown_id": 1, "not_json": 1}


def test_a_retired_version_is_readable_and_takes_nothing(ada, version):
    version.retire()
    assert ada("GET", "/versions/goldevidencebench/tiny").json()["status"] == "retired"
    response = ada("POST", "/versions/goldevidencebench/tiny/validate", b"{}", kind="text/plain")
    assert (response.status_code, response.json()["type"].rpartition(":")[2]) == (409, "version-retired")


def test_documents_are_a_second_download_that_the_version_names(anybody, client, make_version):
    version = make_version(name="apart", protocol="open")
    answered = anybody("GET", "/versions/goldevidencebench/apart").json()
    assert answered["documents"] == version.document_count > 0
    assert answered["documents_sha256"] == version.documents_sha256
    response = anybody("GET", answered["documents_url"])
    packed = body(response)
    assert hashlib.sha256(gzip.decompress(packed)).hexdigest() == version.documents_sha256
    assert response["X-File-SHA256"] == hashlib.sha256(packed).hexdigest()
    in_base64 = base64.b64encode(hashlib.sha256(packed).digest()).decode()
    assert response["Repr-Digest"] == f"sha-256=:{in_base64}:"
    files = {file["what"]: file for file in answered["downloads"]}
    assert files["documents"]["bytes"] == len(packed) == version.documents_bytes
    assert files["documents"]["file_sha256"] == response["X-File-SHA256"]
    assert files["rows"]["bytes"] == version.rows_bytes
    rest = anybody("GET", "/versions/goldevidencebench/apart/documents", Range="bytes=10-")
    assert (rest.status_code, body(rest)) == (206, packed[10:])
    page = client.get(version.get_absolute_url()).content.decode()
    address = "/versions/goldevidencebench/apart/documents.jsonl.gz"
    assert body(client.get(address)) == packed
    for shown in (address, version.documents_sha256, "Download documents", "apart.documents.jsonl.gz"):
        assert shown in page


def test_a_version_whose_rows_hold_their_texts_has_no_documents(anybody, client, version):
    answered = anybody("GET", "/versions/goldevidencebench/tiny").json()
    assert (answered["documents"], answered["documents_sha256"], answered["documents_url"]) == (
        None,
        None,
        None,
    )
    assert [file["what"] for file in answered["downloads"]] == ["rows"]
    assert anybody("GET", "/versions/goldevidencebench/tiny/documents").status_code == 404
    assert client.get("/versions/goldevidencebench/tiny/documents.jsonl.gz").status_code == 404
    assert "ocuments.jsonl.gz" not in client.get(version.get_absolute_url()).content.decode()
