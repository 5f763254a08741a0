"""StateBench on the site: imported releases, uploaded responses, strategies run, boards by track, budget curves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from evaluation.core import jsonl
from evaluation.statebench.suite import SUITE
from leaderboard.benchmarks import freezing, importing, seeding, storage
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.runs import services as runs
from leaderboard.submissions import services as submissions
from leaderboard.submissions import verdicts
from leaderboard.submissions.models import Submission, System
from tests.reference import reference_path

IMPORTED = {"source": "import", "rubric": "1.0"}
CORE = ("sfrr", "decision_accuracy", "must_mention_rate", "must_not_mention_violation_rate")


@pytest.fixture
def preset(db: None) -> Preset:
    return Preset.objects.create(
        benchmark=Benchmark.objects.get(suite="statebench"), name="release", settings=IMPORTED
    )


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A small file in release form, made by our generator."""
    items = SUITE.version({"tracks": ["supersession", "scope_permission"], "count": 2}).generate()
    jsonl.write(tmp_path / "release.jsonl", (row for item in items for row in item.rows))
    return tmp_path / "release.jsonl"


def freeze(preset: Preset, path: Path) -> Version:
    version = importing.start(preset, path, wake_worker=False)
    assert freezing.freeze(version.pk), Version.objects.get(pk=version.pk).error
    return Version.objects.select_related("benchmark").get(pk=version.pk)


@pytest.fixture
def strategies(make_version: Any) -> Version:
    """A small version with three strategies on its board."""
    version = make_version("statebench", "quick", tracks=["supersession", "causality"], count=2)
    for name in ("no_memory", "transcript_replay", "state_based"):
        run = runs.start(version=version, executor=name, started_by=seeding.site_user(), wake_worker=False)
        runs.execute(str(run.pk), grade_now=True)
    return version


def test_staff_import_a_release_which_a_worker_freezes_without_its_answers_in_the_download(
    preset: Preset, release: Path, admin_client: Any, client: Any, django_capture_on_commit_callbacks: Any
) -> None:
    with release.open("rb") as file:
        answer = admin_client.post(
            reverse("admin:leaderboard_preset_import", args=[preset.pk]),
            {"file": file, "title": "Release dev"},
        )
    version = Version.objects.get()
    assert answer.url == reverse("admin:leaderboard_version_change", args=[version.pk])
    assert (version.status, version.title) == ("draft", "Release dev")
    assert freezing.freeze(version.pk)
    version.refresh_from_db()
    assert (version.unit_count, version.row_count) == (4, sum(version.conditions.values()))
    assert not any(b"ground_truth" in line for line in storage.lines(version.rows_sha256))
    page = client.get(version.get_absolute_url()).content.decode()
    assert "Imported file" in page
    assert "A sample row" in page
    assert "ground_truth" not in page


def test_rows_of_the_other_suite_are_imported_too(make_version: Any, tmp_path: Path) -> None:
    made = make_version(public_gold=True)
    path = tmp_path / "flat.jsonl.gz"
    jsonl.write(path, storage.rows(made.rows_sha256))
    again = freeze(made.preset, path)
    assert (again.row_count, again.unit_count) == (made.row_count, made.unit_count)
    assert again.gold_sha256 == made.gold_sha256


@pytest.mark.parametrize(
    ("spoil", "line", "words"),
    [
        (lambda rows: [*rows[:2], "{oops", *rows[2:]], 3, "Not JSON"),
        (lambda rows: [*rows, rows[0]], 5, "Two timelines have the id"),
        (lambda rows: [rows[0], "[]"], 2, "must be a JSON object"),
        (lambda rows: [rows[0], '{"id": "x"}'], 2, "lacks"),
        (lambda rows: [], None, "no rows"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_kept(
    preset: Preset, release: Path, tmp_path: Path, admin_client: Any, spoil: Any, line: int | None, words: str
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text("".join(f"{row}\n" for row in spoil(release.read_text().splitlines())) or "\n")
    with pytest.raises(importing.ImportRefusedError, match=words) as refused:
        importing.start(preset, bad)
    assert refused.value.line == line
    with bad.open("rb") as file:
        answer = admin_client.post(
            reverse("admin:leaderboard_preset_import", args=[preset.pk]), {"file": file}
        )
    assert answer.status_code == 422
    assert "Nothing was imported" in answer.content.decode()
    assert not Version.objects.exists()
    assert not list(Path(storage.storages["artifacts"].location).rglob("*.gz"))


def test_a_preset_that_generates_takes_no_file(preset: Preset, release: Path) -> None:
    preset.settings = {}
    with pytest.raises(Exception, match="source"):
        importing.start(preset, release)
    assert not Version.objects.exists()


def test_only_staff_who_may_change_presets_import(preset: Preset, client: Any, bare_staff: Any) -> None:
    client.force_login(bare_staff)
    assert client.get(reverse("admin:leaderboard_preset_import", args=[preset.pk])).status_code == 403


@pytest.mark.parametrize("name", ["oracle", "perturbed", "echo_state_based", "always_yes"])
def test_an_uploaded_reference_set_shows_the_figures_of_the_reference(
    preset: Preset, user: Any, client: Any, name: str
) -> None:
    version = freeze(preset, reference_path("state/data/dev.jsonl"))
    expected = json.loads(reference_path(f"state/expected/{name}.v1.json").read_text())["metrics"]
    client.force_login(user)
    with reference_path(f"state/responses/{name}.jsonl").open("rb") as file:
        answer = client.post(
            reverse("leaderboard:submit"),
            {"version": version.pk, "name": name, "kind": "llm", "visibility": "public", "file": file},
        )
    assert answer.status_code == 302
    submission = Submission.objects.get()
    assert submissions.grade(str(submission.pk))
    submission.refresh_from_db()
    groups = submission.score.groups["track"]
    for column in CORE:
        key = column if column in expected else f"overall_{column}"
        if key in expected:
            assert submission.score.metrics[column] == pytest.approx(expected[key], abs=1e-9)
        for track, figures in expected["tracks"].items():
            assert groups[track]["metrics"][column] == pytest.approx(figures[column], abs=1e-9), (
                track,
                column,
            )
    page = client.get(submission.get_absolute_url()).content.decode()
    assert f"{submission.score.metrics['sfrr']:.1%}" in page


def test_rows_of_a_submission_stand_beside_their_questions_and_answers(
    strategies: Version, client: Any
) -> None:
    submission = Submission.objects.get(version=strategies, system__name="no_memory")
    page = verdicts.page(submission, verdicts.Filters(failure=""), number=1, user=submission.submitter)
    assert all(row["row"]["id"] == row["unit"] for row in page.object_list)
    timeline = strategies.sample["id"]
    shown = client.get(
        f"{reverse('leaderboard:submission_rows', args=[submission.pk])}?failure=&q={timeline}"
    )
    question = SUITE.row_previews(strategies.sample)[0].question
    assert question.split("\n")[0][:30] in shown.content.decode().replace("&#x27;", "'").replace(
        "&quot;", '"'
    )


def test_rows_are_filtered_by_track(strategies: Version) -> None:
    submission = Submission.objects.get(version=strategies, system__name="no_memory")
    page = verdicts.page(
        submission, verdicts.Filters(failure="", split="causality"), number=1, user=submission.submitter
    )
    assert {row["track"] for row in page.object_list} == {"causality"}


def test_strategies_become_verified_submissions_with_their_curves(strategies: Version, client: Any) -> None:
    shown = Submission.objects.on_board(strategies).select_related("system", "score")
    assert {each.system.name for each in shown} == {"no_memory", "transcript_replay", "state_based"}
    assert all(each.verified and each.system.kind == System.Kind.STRATEGY for each in shown)
    for each in shown:
        budgets = [row["budget"] for row in each.score.measures]
        assert budgets == sorted(budgets)
        assert len(budgets) > 4
        assert all(row["over_budget"] == 0 for row in each.score.measures)
    best = next(each for each in shown if each.system.name == "state_based")
    assert best.score.measures[-1]["coverage"] > 0.9
    assert best.score.measures[-1]["resurrection"] == 0
    page = client.get(best.system.get_absolute_url()).content.decode()
    assert "Contexts over the token budget" in page
    assert "Superseded facts and right decisions" not in page, "it decides nothing"


def test_an_uploaded_file_has_no_curves(strategies: Version, user: Any, tmp_path: Path) -> None:
    own = Submission.objects.get(version=strategies, system__name="state_based")
    accepted = submissions.accept(strategies, _written(tmp_path, storage.rows(own.file_sha256)))
    made = submissions.create(accepted, system=System.objects.create(owner=user, name="Mine"), submitter=user)
    assert submissions.grade(str(made.pk))
    made.refresh_from_db()
    assert made.score.measures == []


def _written(folder: Path, rows: Any) -> Path:
    jsonl.write(folder / "answers.jsonl", rows)
    return folder / "answers.jsonl"


def test_the_board_is_told_by_track_with_the_trade_off_as_a_picture(
    strategies: Version, system: System, submit: Any, client: Any
) -> None:
    submit(strategies, system, executor="state_based")
    board = client.get(strategies.get_board_url()).content.decode()
    address = reverse("leaderboard:board_split", args=["statebench", strategies.slug])
    assert address in board
    page = client.get(f"{address}?track=supersession").content.decode()
    for word in ("Stale-fact rate", "Decision", "Must mention", "state_based", "Causality"):
        assert word in page
    figure = client.get(
        reverse("leaderboard:board_split_figure", args=["statebench", strategies.slug])
    ).json()
    assert [trace["mode"] for trace in figure["data"]] == ["lines", "markers+text"]


def test_a_board_without_tracks_has_no_such_page(
    version: Version, system: System, submit: Any, client: Any
) -> None:
    submit(version, system)
    assert "By track" not in client.get(version.get_board_url()).content.decode()
    address = reverse("leaderboard:board_split", args=[version.benchmark.slug, version.slug])
    assert client.get(address).status_code == 404


def test_the_demo_names_presets_that_exist(db) -> None:
    from evaluation.core.suite import get_suite
    from leaderboard.benchmarks import seeding

    shown = seeding.demo_versions()
    for suite, name in shown:
        assert name in {preset.replace("_", "-") for preset in get_suite(suite).presets()}
    assert shown[0] == ("goldevidence", "ladder-short"), "the first board"
    assert shown[-1] == ("statebench", "quick")
