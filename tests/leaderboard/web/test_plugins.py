"""Plugins may be broken: the site starts, reports them, and works without them."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from evaluation.core import suite
from leaderboard.benchmarks import freezing, seeding, storage
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.benchmarks.models.benchmark import suite_choices
from leaderboard.benchmarks.sealing import twins
from leaderboard.web import plugins
from tests.toy_suite.installed import TOY, on_path, write


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The toy suite, and one that cannot be loaded."""
    good, bad = (
        write(tmp_path / "good", suites=TOY),
        write(tmp_path / "bad", "bad", suites={"bad": "no.where:X"}),
    )
    with on_path(monkeypatch, good, bad):
        yield


def test_a_suite_that_cannot_be_loaded_is_a_warning_that_names_its_distribution(installed, capsys) -> None:
    (result,) = plugins.faults()
    assert result.id == "leaderboard.W001"
    assert "The suite 'bad' of the distribution bad 1.0 cannot be loaded" in result.msg
    call_command("check")  # a warning stops nothing
    assert "leaderboard.W001" in capsys.readouterr().err


def test_without_anything_installed_there_is_no_warning() -> None:
    assert plugins.faults() == []


def test_an_installed_suite_gets_a_benchmark_with_its_presets(installed, db) -> None:
    assert ("toy", "toy") in suite_choices()
    seeding.presets()
    made = Benchmark.objects.get(suite="toy")
    assert (made.title, made.slug) == ("Sums", "toy")
    assert set(made.presets.values_list("name", flat=True)) == {"small", "one-length"}
    assert not Benchmark.objects.filter(suite="bad").exists()
    assert seeding.demo_versions()[-1] == ("toy", "small")


def test_an_installed_suite_can_be_sealed(installed, make_version, submit, system) -> None:
    seeding.benchmarks()
    version = make_version("toy", sealed=True)
    assert version.settings["seed"] > 2**32
    rows = list(storage.rows(version.rows_sha256))
    assert all(row.keys() == {"id", "question", "numbers", "canary"} for row in rows)
    assert [row["id"] for row in rows] == sorted(row["id"] for row in rows)
    score = submit(version, system, executor="first_two").score
    assert score.ranked_by == pytest.approx(1 / 3)
    assert score.headline == pytest.approx(round((1 / 3) / version.shown_step) * version.shown_step), (
        "rounded to the step of so few rows"
    )
    twin = twins.make(version, wake_worker=False)
    assert freezing.freeze(twin.pk)
    twin.refresh_from_db()
    assert twin.public_gold
    assert twin.settings["seed"] != version.settings["seed"]


def test_a_version_whose_suite_is_gone_does_not_break_the_pages_of_others(
    tmp_path, monkeypatch, make_version, submit, system, client, db
) -> None:
    with on_path(monkeypatch, write(tmp_path, suites=TOY)):
        seeding.presets()
        made = submit(seeding.frozen("toy", "small", tell=str), system, executor="adder")
        assert made.score.headline == 1.0
        assert client.get("/versions/").status_code == 200
        assert Version.objects.readable().filter(benchmark__suite="toy").exists()
    submit(make_version(), system)
    assert "toy" not in suite.SUITES
    assert client.get("/versions/toy/small/").status_code == 404
    for path in (
        system.get_absolute_url(),
        made.get_absolute_url(),
        "/history/",
        "/compare/",
        "/feed.atom",
        "/",
        "/versions/",
        "/docs/",
        "/api/v1/versions",
        "/submit/sample/",
    ):
        assert client.get(path).status_code in (200, 302, 404), path
    assert seeding.presets() == 0 or Preset.objects.exists()


def test_what_is_installed_changes_no_migration(installed, db) -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)
