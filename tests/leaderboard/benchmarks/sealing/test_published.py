"""The files that a version publishes at once and when it is retired, and their checksums."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from evaluation.cli import main
from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission, System

MakeVersion = Callable[..., Version]


@pytest.fixture
def sealed(make_version: MakeVersion) -> Version:
    return make_version(name="sealed", sealed=True)


def api(client: Any, version: Version, what: str = "") -> Any:
    return client.get(f"/api/v1/versions/{version.benchmark.slug}/{version.slug}{what}")


def sent(response: Any) -> bytes:
    assert response.status_code == 200
    return b"".join(response.streaming_content)


def assert_fits(response: Any, published: dict[str, Any]) -> None:
    """Assert that `sha256sum FILE` and `zcat FILE | sha256sum` give the hashes on page and API."""
    headers = response.headers
    file = sent(response)
    assert hashlib.sha256(file).hexdigest() == published["file_sha256"] == headers["X-File-SHA256"]
    lines = hashlib.sha256(gzip.decompress(file)).hexdigest()
    assert lines == published["content_sha256"] == headers["X-Content-SHA256"]


def test_a_commitment_stands_from_the_first_day(sealed: Version, client: Any) -> None:
    assert len(sealed.commitment) == 64
    assert api(client, sealed).json()["commitment"] == sealed.commitment
    page = client.get(sealed.get_absolute_url()).content.decode()
    assert sealed.commitment in page
    assert sealed.gold_sha256 not in page
    assert sealed.settings["key"] not in page


def test_an_open_demo_commits_to_nothing(version: Version, client: Any) -> None:
    assert version.commitment == ""
    assert api(client, version).json()["commitment"] is None


def test_gold_and_predictions_are_withheld_until_retirement(
    sealed: Version, client: Any, user: Any, submit: Callable[..., Submission]
) -> None:
    system = System.objects.create(owner=user, name="A system")
    submission = submit(sealed, system, executor="ledger", visibility=Submission.Visibility.PUBLIC)
    file = reverse("leaderboard:submission_predictions", args=[submission.pk])
    assert api(client, sealed, "/gold").status_code == 404
    assert api(client, sealed, "/predictions").status_code == 404
    assert (
        client.get(reverse("leaderboard:version_gold", args=[sealed.benchmark.slug, sealed.slug])).status_code
        == 404
    )
    assert client.get(file).status_code in (302, 403)
    sealed.retire()
    [listed] = api(client, sealed, "/predictions").json()["items"]
    assert listed["submission"] == str(submission.pk)
    assert_fits(client.get(file), listed)


def test_private_predictions_stay_private(
    sealed: Version, client: Any, user: Any, submit: Callable[..., Submission]
) -> None:
    system = System.objects.create(owner=user, name="A system")
    submission = submit(sealed, system, executor="ledger", visibility=Submission.Visibility.PRIVATE)
    sealed.retire()
    assert api(client, sealed, "/predictions").json()["items"] == []
    address = reverse("leaderboard:submission_predictions", args=[submission.pk])
    assert client.get(address).status_code == 404


def test_published_gold_is_checked_by_the_command_on_the_page(
    sealed: Version, client: Any, tmp_path: Path, capsys: Any
) -> None:
    noted = api(client, sealed).json()["commitment"]
    sealed.retire()
    page = client.get(sealed.get_absolute_url()).content.decode()
    (tmp_path / "gold.jsonl.gz").write_bytes(sent(api(client, sealed, "/gold")))
    key = sealed.settings["key"]
    assert (
        f"goldevidencebench commitment --gold {sealed.benchmark.slug}-sealed.gold.jsonl.gz --key {key}"
        in page
    )
    args = ["commitment", "--gold", str(tmp_path / "gold.jsonl.gz"), "--key", key, "--commitment", noted]
    assert main(args) == 0
    assert "The gold matches" in capsys.readouterr().out
    seeds = ", ".join(map(str, sealed.settings["seeds"]))
    assert seeds in page


def test_downloads_fit_both_of_their_checksums(sealed: Version, client: Any) -> None:
    [rows] = api(client, sealed).json()["downloads"]
    assert_fits(api(client, sealed, "/rows"), rows)
    sealed.retire()
    files = {file["what"]: file for file in api(client, sealed).json()["downloads"]}
    assert list(files) == ["rows", "gold"]
    for what, file in files.items():
        assert_fits(client.get(file["url"]), file)
        page = client.get(sealed.get_absolute_url()).content.decode()
        assert file["file_sha256"] in page, what


def test_a_file_that_is_stored_again_has_its_new_checksum(version: Version, client: Any) -> None:
    from django.core.files.base import ContentFile
    from django.core.files.storage import storages

    from leaderboard.benchmarks import storage

    before = storage.packed_sha256(version.rows_sha256)
    name = storage.name_of(version.rows_sha256)
    text = b"".join(storage.lines(version.rows_sha256))
    storages["artifacts"].delete(name)
    storages["artifacts"].save(name, ContentFile(gzip.compress(text, 1, mtime=1)))
    after = storage.packed_sha256(version.rows_sha256)
    assert after != before
    assert after == hashlib.sha256(sent(api(client, version, "/rows"))).hexdigest()


def test_gold_of_an_imported_file_is_never_published(make_version: MakeVersion, client: Any) -> None:
    public = make_version(name="public", public_gold=True)
    assert {file["what"] for file in api(client, public).json()["downloads"]} == {"rows", "gold"}
    imported = Version(
        benchmark=public.benchmark, source_sha256="a" * 64, status="retired", sample={"id": "E1"}
    )
    assert not imported.disclosure.publishes_gold


def test_each_version_states_its_licence(version: Version, client: Any, admin_client: Any) -> None:
    assert api(client, version).json()["licence"] == "MIT"
    page = client.get(version.get_absolute_url()).content.decode()
    assert "licence of the rows" in page
    form = admin_client.get(f"/admin/leaderboard/version/{version.pk}/change/").context["adminform"].form
    assert "licence" in form.fields
