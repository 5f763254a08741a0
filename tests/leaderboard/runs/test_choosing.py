"""The form of a run starts with a version that the user can run."""

from __future__ import annotations

from leaderboard.benchmarks.models import Version
from leaderboard.runs.choosing import fitting_version, picked_version
from tests.leaderboard.conftest import RANKED


def feature(version: Version) -> None:
    Version.objects.filter(pk=version.pk).update(featured=True)


def test_the_featured_version_is_the_usual_one(make_version) -> None:
    make_version(name="first")
    feature(second := make_version(name="second", generator=RANKED))
    assert fitting_version(None, None) == second


def test_another_fits_where_the_featured_one_cannot_be_asked(make_version) -> None:
    feature(make_version(name="lines"))
    talk = make_version("statebench", name="talk", tracks=["supersession"], count=1)
    assert fitting_version("transcript_replay", None) == talk


def test_texts_that_a_model_cannot_read_do_not_fit(make_version, model, monkeypatch) -> None:
    feature(long := make_version(name="long"))
    short = make_version(name="short", generator=RANKED)
    monkeypatch.setattr("leaderboard.runs.choosing._longest", lambda version: 10**9 if version == long else 8)
    assert fitting_version(None, model.pk) == short
    assert fitting_version(None, None) == long


def test_where_nothing_fits_a_version_is_offered_all_the_same(make_version, model, monkeypatch) -> None:
    version = make_version()
    monkeypatch.setattr("leaderboard.runs.choosing._longest", lambda _: 10**9)
    assert fitting_version("no such system", model.pk) == version
    assert fitting_version("ledger", "nonsense") == version


def test_an_address_names_a_version_by_key_or_by_name(version) -> None:
    assert picked_version(str(version.pk)) == version
    assert picked_version(f"{version.benchmark.slug}/{version.slug}") == version
    for nonsense in ("", "tiny", "a/b", "x" * 300, "a/\x00"):
        assert picked_version(nonsense) is None
