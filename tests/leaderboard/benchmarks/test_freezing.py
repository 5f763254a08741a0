"""Freezing: the same preset gives the same version, and frozen means frozen."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import Error, connection, transaction

from evaluation.core import jsonl
from evaluation.core.sealing import keyed_ids
from leaderboard.benchmarks import freezing, public_rows, storage
from leaderboard.benchmarks.models import Benchmark, FrozenError, Preset, Version
from leaderboard.benchmarks.sealing import verifying
from tests.leaderboard.benchmarks.stored import names, path_of, stored


def test_the_same_preset_freezes_to_the_same_hash(make_version):
    first, second = make_version(name="first"), make_version(name="second")
    assert first.sha256 == second.sha256
    assert first.rows_sha256 == second.rows_sha256


def test_another_seed_is_another_version(make_version):
    assert make_version(name="a").sha256 != make_version(name="b", seeds=[7]).sha256


def test_rows_hold_no_gold_unless_the_preset_makes_it_public(make_version):
    hidden, public = make_version(name="hidden"), make_version(name="public", public_gold=True)
    assert not any("gold" in row for row in storage.rows(hidden.rows_sha256))
    assert all("gold" in row for row in storage.rows(public.rows_sha256))
    assert "gold" not in public.sample


def test_a_version_freezes_once_however_often_it_is_queued(version):
    assert freezing.freeze(version.pk) is False


@pytest.mark.parametrize(
    ("field", "value"),
    [("settings", {}), ("sha256", "0" * 64), ("row_count", 1), ("slug", "other"), ("status", "draft")],
)
def test_the_model_refuses_to_change_a_frozen_version(version, field, value):
    setattr(version, field, value)
    with pytest.raises(FrozenError):
        version.save()


def test_the_queryset_refuses_to_change_or_delete_frozen_versions(version):
    with pytest.raises(FrozenError):
        Version.objects.update(settings={})
    with pytest.raises(FrozenError):
        Version.objects.all().delete()
    with pytest.raises(FrozenError):
        version.delete()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE leaderboard_version SET settings = '{}'",
        "UPDATE leaderboard_version SET gold_sha256 = 'x'",
        "UPDATE leaderboard_version SET status = 'draft'",
        "DELETE FROM leaderboard_version",
    ],
)
def test_the_database_refuses_it_too(version, sql):
    with pytest.raises(Error, match="frozen version"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


def test_a_frozen_version_can_be_retired_and_renamed_but_never_thawed(version):
    version.title = "A better title"
    version.save()
    version.retire()
    version.refresh_from_db()
    assert (version.title, version.status) == ("A better title", "retired")
    version.status = "frozen"
    version.save()
    assert version.is_final


def test_verify_versions_finds_a_changed_file(version, settings, capsys):
    call_command("verify_versions")
    assert version.sha256 in capsys.readouterr().out
    path = settings.STORAGES["artifacts"]["OPTIONS"]["location"] / storage.name_of(version.gold_sha256)
    path.chmod(0o600)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(CommandError, match="1 of 1"):
        call_command("verify_versions")


@pytest.mark.parametrize("left", [None, 0, 100])
@pytest.mark.parametrize("which", ["rows_sha256", "gold_sha256"])
def test_verify_versions_makes_a_torn_or_missing_file_again_where_its_settings_tell(
    version, capsys, left, which
):
    before, damaged = names(), path_of(getattr(version, which))
    if left is None:
        damaged.unlink()
    else:
        damaged.write_bytes(damaged.read_bytes()[:left])
    with pytest.raises(CommandError, match="1 of 1"):
        call_command("verify_versions")
    call_command("verify_versions", repair=True)
    assert "rebuilt, ok" in capsys.readouterr().out
    assert names() == before
    version.refresh_from_db()
    assert version.damage == ""
    assert verifying.verify(version.pk)


def test_verify_versions_makes_an_imported_version_again_from_its_file(version, capsys):
    source = stored(
        b"".join(jsonl.dumps(row) + b"\n" for item in version.bound.generate() for row in item.rows)
    )
    preset = version.preset
    imported = freezing.start(preset=preset, slug="imported", source_sha256=source, wake_worker=False)
    assert freezing.freeze(imported.pk), Version.objects.get(pk=imported.pk).error
    imported.refresh_from_db()
    path_of(imported.rows_sha256).unlink()
    call_command("verify_versions", repair=True)
    assert verifying.verify(imported.pk)
    path_of(imported.rows_sha256).unlink()
    path_of(source).unlink()
    with pytest.raises(CommandError):
        call_command("verify_versions", repair=True)
    assert f"cannot be rebuilt: the stored file {source[:12]}… is missing" in capsys.readouterr().out


def test_a_repair_stores_no_other_rows_than_the_sealed_ones(version, capsys, monkeypatch):
    path_of(version.rows_sha256).unlink()
    before = names()
    monkeypatch.setattr(public_rows, "canary_text", lambda version: "GEB-CANARY-of-a-newer-release")
    with pytest.raises(CommandError, match="1 of 1"):
        call_command("verify_versions", repair=True)
    assert "the settings now generate other rows: restore the files from a backup" in capsys.readouterr().out
    assert names() == before


def test_a_storage_that_cannot_be_read_is_not_taken_for_damage(version, monkeypatch):
    def away(*_, **__):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(storage, "verify", away)
    with pytest.raises(CommandError, match="the storage is not reachable"):
        call_command("verify_versions")
    version.refresh_from_db()
    assert (version.damage, version.verified_at) == ("", None)


def test_a_verification_that_was_overtaken_does_not_write_over_the_newer_one(version, monkeypatch):
    read = storage.verify

    def slowly(sha256, **named):
        monkeypatch.setattr(storage, "verify", read)
        assert verifying.verify(version.pk)
        raise storage.DamagedFileError("as it was before it was restored")

    monkeypatch.setattr(storage, "verify", slowly)
    verifying.verify(version.pk)
    version.refresh_from_db()
    assert version.damage == ""


def test_a_preset_that_cannot_be_generated_fails_with_its_reason(db):
    benchmark = Benchmark.objects.get(suite="goldevidence")
    preset = Preset.objects.create(benchmark=benchmark, name="x", settings={})
    version = freezing.start(preset=preset, source_sha256=stored(b'{"id": "no-gold"}\n'), wake_worker=False)
    assert freezing.freeze(version.pk) is False
    version.refresh_from_db()
    assert version.status == "failed"
    assert version.error == "Line 1: Row 'no-gold' has no usable 'question': it must be a text."
    assert version.sha256 == ""


def test_two_versions_of_one_preset_get_addresses_of_their_own(make_version):
    first = make_version(name="twice")
    again = freezing.start(preset=first.preset, open_demo=True, wake_worker=False)
    assert (first.slug, again.slug) == ("twice", "twice-2")
    assert again.title == f"{first.title} 2"


def test_seeds_and_key_are_told_only_where_the_gold_is_public_or_the_version_open_or_retired(
    client, make_version
):
    def seeds_shown(version):
        return [
            secret in client.get(version.get_absolute_url()).content.decode() for secret in secrets(version)
        ]

    def secrets(version):
        return [str(version.settings["seeds"][0]), keyed_ids.describe_key(version.settings["key"])]

    hidden = make_version(name="hidden", sealed=True)
    assert seeds_shown(hidden) == [False, False]
    hidden.retire()
    assert seeds_shown(hidden) == [True, True]
    assert seeds_shown(make_version(name="open", seeds=[4711])) == [True, True]
    assert seeds_shown(make_version(name="public", seeds=[4711], public_gold=True)) == [True, True]


def test_secret_seeds_are_drawn_anew_for_every_version(version):
    made = [freezing.start(preset=version.preset, wake_worker=False) for _ in range(2)]
    assert all(freezing.freeze(each.pk) for each in made)
    seeds = [Version.objects.get(pk=each.pk).settings["seeds"] for each in made]
    assert seeds[0] != seeds[1] != version.settings["seeds"]
