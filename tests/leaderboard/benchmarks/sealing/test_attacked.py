"""The results of attackers are frozen with a version, shown, and decide whether the version has ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import Error, connection, transaction

from evaluation.core import jsonl
from evaluation.core.sealing.limits import AttackLimit
from leaderboard.benchmarks import freezing
from leaderboard.benchmarks.models import FrozenError, Preset, Version
from leaderboard.benchmarks.sealing import seal
from leaderboard.boards.placements import placements
from leaderboard.submissions.models import Submission, System
from tests.leaderboard.conftest import RANKED

MakeVersion = Callable[..., Version]
#: Every row has its gold first, in as many units as ranks need.
GUESSABLE: dict[str, Any] = {
    "generator": RANKED,
    "conditions": [{"k": 4, "order": "gold_first"}],
    "attack_limits": [],
}


def test_a_version_stores_the_results_of_attackers_unchangeably(version: Version) -> None:
    report = version.attack_report
    assert report is not None
    roles = {each["name"]: each["role"] for each in report["attackers"]}
    assert roles == {
        "null": "floor", "constant": "floor", "random_line": "floor", "last_line": "shortcut",
        "position_reader": "shortcut", "id_reader": "shortcut", "name_reader": "shortcut", "template_reader": "parser",
        "differences": "join", "learner": "shortcut", "joined_learner": "join",
    }  # fmt: skip
    version.attacks = {}
    with pytest.raises(FrozenError):
        version.save()
    with pytest.raises(Error, match="frozen"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE leaderboard_version SET attacks = '{}'")


def test_the_report_is_no_part_of_what_the_same_version_means(version: Version) -> None:
    sealed = {name: getattr(version, name) for name in ("grader", "rows_sha256", "gold_sha256")}
    assert seal.digest(version, **sealed, attacks={"other": 1}) == version.sha256


def test_a_version_above_its_ceiling_has_no_ranks_and_says_why(
    make_version: MakeVersion, client: Any, user: Any, submit: Callable[..., Submission]
) -> None:
    ranked, guessable = make_version(name="fair", generator=RANKED), make_version(name="open", **GUESSABLE)
    assert not placements.why_diagnostic(ranked)
    why = placements.why_diagnostic(guessable)
    assert why.startswith("answers can be guessed, as the attacker program “")
    system = System.objects.create(owner=user, name="A system")
    submit(guessable, system, executor="ledger", visibility=Submission.Visibility.PUBLIC)
    board = client.get(f"/api/v1/leaderboard/{guessable.benchmark.slug}/{guessable.slug}").json()
    assert [row["rank"] for row in board["items"]] == [None]
    assert board["items"][0]["not_ranked"] == why
    for address in (guessable.get_board_url(), guessable.get_absolute_url()):
        page = client.get(address).content.decode()
        assert "above the ceiling of" in page


def test_pages_and_api_show_attackers_floor_and_ceiling(
    version: Version, client: Any, admin_client: Any
) -> None:
    page = client.get(version.get_absolute_url()).content.decode()
    assert "a self-reported result does not show that a model read the text" in page
    for text in ("Position reader", "Ceiling of shortcuts", "Random line of the key"):
        assert text in page
    admin = admin_client.get(f"/admin/leaderboard/version/{version.pk}/change/").content.decode()
    assert "Position reader" in admin
    detail = client.get(f"/api/v1/versions/{version.benchmark.slug}/{version.slug}").json()
    assert detail["attacks"] == {"splits": []} | version.attacks


def test_a_preset_is_attacked_in_a_quick_sample_where_that_is_asked_for(
    version: Version, admin_client: Any
) -> None:
    preset = Preset.objects.get()
    page = admin_client.get(preset.get_admin_url()).content.decode()
    assert "Position reader" not in page
    assert "Try the attackers on a quick sample" in page
    page = admin_client.get(f"{preset.get_admin_url()}?attack=1").content.decode()
    assert "Position reader" in page


def test_a_limit_of_the_preset_is_frozen_with_the_version(make_version: MakeVersion) -> None:
    limits = [AttackLimit(metric="exact_acc", floor=0.0, ceiling=0.01).as_json()]
    version = make_version(name="strict", attack_limits=limits)
    assert version.settings["attack_limits"] == limits
    assert version.attack_report is not None
    assert version.attack_report["measures"][0]["ceiling"] == 0.01


def test_an_older_version_without_a_report_is_as_it_was(version: Version, client: Any) -> None:
    plain = Version(
        benchmark=version.benchmark, settings=version.settings, unit_count=80, conditions={"a": 1}
    )
    assert plain.attack_report is None
    assert placements.why_diagnostic(plain) == ""


def test_a_version_that_was_frozen_before_any_attacker_joined_rows_says_that_they_can_be(
    version: Version, client: Any
) -> None:
    report = version.attack_report
    assert report is not None
    said = report["joins"]
    assert said.startswith(
        "Rows can be joined: they share ids and values, and twins differ only in the lines that answer"
    )
    assert said in client.get(version.get_absolute_url()).content.decode()
    former = {name: value for name, value in version.attacks.items() if name != "joins"}
    former["measures"] = [
        {name: value for name, value in each.items() if name != "joined_ceiling"}
        for each in former["measures"]
    ]
    old = Version(benchmark=version.benchmark, settings=version.settings, attacks=former)
    assert old.attack_report == {**former, "joins": said}
    settings = version.settings | {"generator": version.settings["generator"] | {"revision": 3}}
    assert Version(benchmark=version.benchmark, settings=settings, attacks=former).attack_report == {
        **former, "joins": "",
    }  # fmt: skip


def test_rows_of_a_file_are_not_attacked(db: None, tmp_path: Any, version: Version) -> None:
    from leaderboard.benchmarks import importing

    rows = [row for item in version.bound.generate() for row in item.rows]
    jsonl.write(tmp_path / "rows.jsonl", rows)
    draft = importing.start(
        Preset.objects.get(), tmp_path / "rows.jsonl", slug="imported", licence="CC-BY-4.0", wake_worker=False
    )
    assert freezing.freeze(draft.pk)
    draft.refresh_from_db()
    assert (draft.attacks, draft.licence, version.licence) == ({}, "CC-BY-4.0", "MIT")
