"""Freezing: the same preset gives the same version, and frozen means frozen."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import Error, connection, transaction

from leaderboard import freezing, storage
from leaderboard.models import Benchmark, FrozenError, Preset, Version


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


def test_a_version_freezes_once_however_often_it_is_rung_for(version):
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


def test_a_preset_that_cannot_be_generated_fails_with_its_reason(db):
    benchmark = Benchmark.objects.get(suite="goldevidence")
    preset = Preset.objects.create(benchmark=benchmark, name="x", settings={})
    version = freezing.start(preset=preset, source_sha256=_stored_lines(b'{"id": "no-gold"}\n'), ring=False)
    assert freezing.freeze(version.pk) is False
    version.refresh_from_db()
    assert version.status == "failed"
    assert version.error == "Line 1: Row 'no-gold' has no usable 'question': it must be a text."
    assert version.sha256 == ""


def _stored_lines(data: bytes) -> str:
    with storage.writing() as writer:
        writer.write(data)
    return writer.sha256


def test_two_versions_of_one_preset_get_addresses_of_their_own(make_version):
    first = make_version(name="twice")
    again = freezing.start(preset=first.preset, ring=False)
    assert (first.slug, again.slug) == ("twice", "twice-2")


def test_seeds_are_told_only_where_the_gold_is_public_or_the_version_retired(client, make_version):
    hidden, public = (
        make_version(name="hidden", seeds=[4711]),
        make_version(name="open", seeds=[4711], public_gold=True),
    )
    assert b"4711" not in client.get(hidden.get_absolute_url()).content
    assert b"4711" in client.get(public.get_absolute_url()).content
    hidden.retire()
    assert b"4711" in client.get(hidden.get_absolute_url()).content


def test_secret_seeds_are_drawn_anew_for_every_version(version):
    made = [freezing.start(preset=version.preset, secret=True, ring=False) for _ in range(2)]
    assert all(freezing.freeze(each.pk) for each in made)
    seeds = [Version.objects.get(pk=each.pk).settings["seeds"] for each in made]
    assert seeds[0] != seeds[1] != version.settings["seeds"]
