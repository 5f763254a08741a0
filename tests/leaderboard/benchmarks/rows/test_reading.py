"""A version whose rows refer to separate texts: frozen, read, repaired; and one that was frozen flat."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.utils import IntegrityError

from evaluation.core import jsonl
from evaluation.core.sealing import keyed_ids
from leaderboard.benchmarks import freezing, storage
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.models.version import FrozenError
from leaderboard.benchmarks.rows import reading
from leaderboard.benchmarks.sealing import seal, verifying
from leaderboard.benchmarks.storage import DamagedFileError
from tests.leaderboard.benchmarks.stored import path_of

CONDITIONS = [{"k": 3, "order": "gold_first"}]
MakeVersion = Callable[..., Version]


@pytest.fixture(params=["open", "closed", "build"])
def protocol(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def lines(sha256: str) -> list[dict[str, Any]]:
    return list(storage.rows(sha256))


def flat_of(version: Version, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The rows of the same settings as a release without documents froze them."""
    with monkeypatch.context() as patch:
        patch.setattr(type(version.bound), "shared_texts", ())
        twin = freezing.draft(
            benchmark=version.benchmark, slug="flat", title="Flat", numbered=False, settings=version.settings
        )
        assert freezing.freeze(twin.pk), Version.objects.get(pk=twin.pk).error
    twin.refresh_from_db()
    assert twin.documents_sha256 == ""
    return lines(twin.rows_sha256)


def test_each_text_stands_once_and_joined_rows_are_those_of_a_flat_file(
    make_version: MakeVersion, protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    conditions = [] if protocol == "build" else CONDITIONS
    version = make_version(name="apart", sealed=True, protocol=protocol, conditions=conditions)
    documents, rows = lines(version.documents_sha256), lines(version.rows_sha256)
    field = "book" if protocol == "closed" else "document"
    assert len({each[field] for each in documents}) == len(documents) == version.document_count
    assert all(each.keys() == {"id", field, "canary"} for each in documents)
    whole = [row for row in rows if "document_id" in row]
    assert {row["document_id"] for row in whole} == {each["id"] for each in documents}
    assert not any(name in row for row in rows for name in ("book", "document"))
    flat = flat_of(version, monkeypatch)
    by_id = {row["id"]: row for row in reading.rows_of(version)}
    assert len(by_id) == len(flat) == version.row_count
    assert by_id == {row["id"]: row for row in flat}
    assert all(list(by_id[row["id"]]) == list(row) for row in flat)


def test_documents_and_rows_stand_in_the_order_of_ids_that_say_nothing_and_have_one_length(
    make_version: MakeVersion,
) -> None:
    version = make_version(name="order", sealed=True, protocol="open", conditions=CONDITIONS)
    documents, rows = lines(version.documents_sha256), lines(version.rows_sha256)
    names = [each["id"] for each in documents]
    assert names == sorted(names)
    assert all(map(keyed_ids.is_keyed_document, names))
    places = [(row.get("document_id", ""), row["id"]) for row in rows]
    assert places == sorted(places)
    assert len({len(line) for line in storage.lines(version.documents_sha256)}) == 1
    sizes = {
        ("document_id" in row, len(line))
        for row, line in zip(rows, storage.lines(version.rows_sha256), strict=True)
    }
    assert len(sizes) == 2


def test_rows_with_public_gold_keep_their_units_together_and_name_documents_as_they_come(
    make_version: MakeVersion,
) -> None:
    version = make_version(name="public", protocol="open", public_gold=True)
    rows = list(reading.rows_of(version))
    assert all("gold" in row and row["document"] for row in rows)
    used = list(dict.fromkeys(row["document_id"] for row in lines(version.rows_sha256)))
    assert used == [each["id"] for each in lines(version.documents_sha256)]


def test_the_older_protocols_and_imports_of_them_stay_one_flat_file(make_version: MakeVersion) -> None:
    version = make_version(name="old")
    assert (version.documents_sha256, version.documents_bytes, version.document_count) == ("", 0, 0)
    assert all(row["book"] and row["document"] for row in lines(version.rows_sha256))
    assert list(reading.rows_of(version)) == lines(version.rows_sha256)


def test_documents_are_part_of_what_the_version_is(make_version: MakeVersion) -> None:
    version = make_version(name="sealing", protocol="open")
    version.documents_sha256 = "0" * 64
    with pytest.raises(FrozenError, match="documents_sha256"):
        version.save()
    version.refresh_from_db()
    for change in ("documents_sha256 = 'x'", "documents_bytes = 1", "document_count = 1"):
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE leaderboard_version SET {change} WHERE id = %s", [version.pk])
    seal.check(version)
    version.documents_sha256 = ""
    with pytest.raises(DamagedFileError, match="does not match its SHA-256"):
        seal.check(version)


def test_documents_that_are_gone_or_changed_are_found_and_made_again(make_version: MakeVersion) -> None:
    version = make_version(name="lost", protocol="open")
    path = path_of(version.documents_sha256)
    kept = path.read_bytes()
    path.unlink()
    with pytest.raises(DamagedFileError, match="is missing"):
        list(reading.rows_of(version))
    assert not verifying.verify(version.pk)
    assert verifying.repair(version.pk)
    assert path.read_bytes() == kept
    path.write_bytes(gzip.compress(gzip.decompress(kept).splitlines(keepends=True)[0]))
    with pytest.raises(DamagedFileError, match=r"does not match its SHA-256|do not fit its rows"):
        list(reading.rows_of(version))


def test_a_flat_version_of_a_protocol_that_names_documents_now_is_repaired_as_it_was(
    make_version: MakeVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = make_version(name="now", sealed=True, protocol="open")
    flat_of(version, monkeypatch)
    older = Version.objects.get(slug="flat")
    path = path_of(older.rows_sha256)
    kept = path.read_bytes()
    path.unlink()
    assert verifying.repair(older.pk)
    assert path.read_bytes() == kept


def test_the_sample_holds_a_text_that_is_cut_and_says_so(make_version: MakeVersion) -> None:
    generator = {"episodes": 1, "steps": 900, "queries": 2, "keys": 5, "chapters": 2}
    version = make_version(name="long", sealed=True, protocol="open", generator=generator)
    whole = next(row for row in reading.rows_of(version) if row["id"] == version.sample["id"])
    assert len(whole["document"]) > 40_000
    assert len(version.sample["document"]) < 25_000
    assert f" of {len(whole['document']):,} characters are left out" in version.sample["document"]
    assert version.sample["document_id"]
    assert len(jsonl.dumps(version.sample)) < 30_000
    short = next(reading.short_rows_of(version))
    assert "characters are left out" in short["document"]
