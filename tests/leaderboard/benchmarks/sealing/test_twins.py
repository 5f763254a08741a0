"""Public twins: same settings, other seeds, answers in the rows, no ranks; each page names the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from evaluation.core.sealing.keyed_ids import OPEN_KEY
from leaderboard.benchmarks import freezing, storage
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import twins
from leaderboard.boards.placements import placements
from leaderboard.submissions.models import Submission, System

MakeVersion = Callable[..., Version]


def frozen_twin(version: Version) -> Version:
    twin = twins.make(version, wake_worker=False)
    assert freezing.freeze(twin.pk), Version.objects.get(pk=twin.pk).error
    return Version.objects.readable().get(pk=twin.pk)


@pytest.mark.parametrize("suite", ["goldevidence", "statebench"])
def test_a_twin_has_the_same_settings_other_seeds_and_its_answers(
    make_version: MakeVersion, suite: str
) -> None:
    version = make_version(suite, sealed=True)
    twin = frozen_twin(version)
    seeds = {"seed", "seeds", "key", "public_gold"}
    same = [{k: v for k, v in each.settings.items() if k not in seeds} for each in (version, twin)]
    assert same[0] == same[1]
    assert twin.settings["key"] == OPEN_KEY != version.settings["key"]
    assert [twin.settings.get(name) for name in ("seed", "seeds")] != [
        version.settings.get(name) for name in ("seed", "seeds")
    ]
    assert (twin.public_gold, twin.disclosure.state, twin.shown_step) == (True, "public", 0)
    assert (twin.row_count, twin.conditions) == (version.row_count, version.conditions)
    ids = [{str(row.get("id")) for row in storage.rows(each.rows_sha256)} for each in (version, twin)]
    assert suite == "statebench" or not ids[0] & ids[1]


def test_a_version_gets_one_twin_and_only_where_its_answers_are_kept(make_version: MakeVersion) -> None:
    version, public = make_version(sealed=True), make_version(name="open", public_gold=True)
    twin = frozen_twin(version)
    for each, reason in (
        (version, "already has a public twin"),
        (twin, "is a public twin"),
        (public, "public already"),
    ):
        with pytest.raises(freezing.FreezeError, match=reason):
            twins.make(each)


def test_a_twin_has_no_ranks_and_is_listed_under_its_version(
    client: Any, make_version: MakeVersion, system: System, submit: Callable[..., Submission]
) -> None:
    version = make_version(sealed=True)
    twin = frozen_twin(version)
    submit(twin, system)
    assert "public twin" in placements.why_diagnostic(twin)
    assert "has no ranks" in client.get(twin.get_board_url()).content.decode()
    pages = [client.get(each.get_absolute_url()).content.decode() for each in (version, twin)]
    assert f'href="{twin.get_absolute_url()}"' in pages[0]
    assert f'href="{version.get_absolute_url()}"' in pages[1]
    listed = client.get(reverse("leaderboard:versions")).content.decode()
    assert listed.count(f'href="{twin.get_absolute_url()}"') == 1
    assert f'href="{twin.get_board_url()}"' not in listed
    assert twin.get_board_url() not in client.get(version.get_board_url()).content.decode()
    first, second = (
        client.get(f"/api/v1/versions/{a.benchmark.slug}/{a.slug}").json() for a in (version, twin)
    )
    assert (first["twin"], first["twin_of"]) == (second["id"], None)
    assert (second["twin"], second["twin_of"]) == (None, first["id"])
    assert first["figure_step"] == version.figure_step
    assert first["uploads"] == 10
    assert second["figure_step"] is None
    assert second["uploads"] is None


def test_a_command_and_the_admin_make_the_twin_of_an_existing_version(
    admin_client: Any, make_version: MakeVersion, capsys: Any
) -> None:
    by_command, by_page = make_version(sealed=True), make_version(name="other", sealed=True)
    address = f"{by_command.benchmark.slug}/{by_command.slug}"
    call_command("make_twin", address)
    assert f"{address}-twin: {by_command.row_count:,} rows" in capsys.readouterr().out
    with pytest.raises(CommandError, match="already has a public twin"):
        call_command("make_twin", address)
    with pytest.raises(CommandError, match="no frozen version"):
        call_command("make_twin", "goldevidencebench/nothing")
    admin_client.post(reverse("admin:leaderboard_version_twin", args=[by_page.pk]))
    assert Version.objects.get(twin_of=by_page).slug == "other-twin"
