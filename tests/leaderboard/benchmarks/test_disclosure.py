"""Every page says who can know the answers of its version, correctly for each kind of version."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from evaluation.core import jsonl
from evaluation.core.sealing import keyed_ids
from leaderboard.benchmarks import freezing, importing
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from tests.leaderboard.boards.older import older_version
from tests.leaderboard.conftest import TINY

LARGE = 2**61 + 12345
TRACKS = {"tracks": ["causality", "supersession"], "count": 2}
ORDERED = {"conditions": [{"k": 2, "order": order} for order in ("gold_first", "gold_last")]}
MakeVersion = Callable[..., Version]


def imported(tmp_path: Path) -> Version:
    preset = Preset.objects.create(
        benchmark=Benchmark.objects.get(suite="goldevidence"), name="imported", settings=TINY | ORDERED
    )
    rows = [row for item in preset.benchmark.engine.version(TINY).generate() for row in item.rows]
    plain = [row | {"id": f"E0001-Q{number:03d}"} for number, row in enumerate(rows)]
    jsonl.write(tmp_path / "rows.jsonl", plain)
    version = importing.start(preset, tmp_path / "rows.jsonl", wake_worker=False)
    assert freezing.freeze(version.pk), Version.objects.get(pk=version.pk).error
    return Version.objects.select_related("benchmark").get(pk=version.pk)


def retired(version: Version) -> Version:
    version.retire()
    return version


STATES: dict[str, tuple[Callable[[MakeVersion, Path], Version], str, str]] = {
    "public": (lambda make, _: make(public_gold=True), "public", "The answers are in the rows."),
    "sealed": (lambda make, _: make(sealed=True), "sealed", "The answers are secret."),
    "sealed timelines": (
        lambda make, _: make("statebench", sealed=True, **TRACKS),
        "sealed",
        "The answers are secret.",
    ),
    "open demo": (
        lambda make, _: make(),
        "open_demo",
        "its seeds are known, so anyone can generate its answers",
    ),
    "retired": (
        lambda make, _: retired(make(sealed=True)),
        "retired",
        "the key of its row ids are published",
    ),
    "retired demo": (lambda make, _: retired(make()), "retired", "Its seeds and the key"),
    "imported": (lambda _, path: imported(path), "imported", "Its rows and their ids come from a file."),
    "retired import": (lambda _, path: retired(imported(path)), "imported", "anyone with the file has them"),
    "older timelines": (
        lambda *_: older_version("statebench", "older", seed=LARGE, **TRACKS),
        "open_ids",
        "This version's row ids show its seed, from which its answers can be rebuilt.",
    ),
    "older conditions": (
        lambda *_: older_version("goldevidence", "older", seeds=[LARGE], **TINY, **ORDERED),
        "open_ids",
        "This version's row ids name the condition of each row",
    ),
    "older books": (
        lambda *_: older_version("goldevidence", "older", seeds=[LARGE], **TINY),
        "sealed",
        "The seeds that generate them were drawn at random",
    ),
    "older preset": (
        lambda *_: older_version("goldevidence", "older", **TINY, **ORDERED),
        "open_demo",
        "anyone can generate its answers",
    ),
    "older timelines of a preset": (
        lambda *_: older_version("statebench", "older", seed=1, **TRACKS),
        "open_demo",
        "anyone can generate its answers",
    ),
    "older retired": (
        lambda *_: retired(older_version("statebench", "older", seed=LARGE, **TRACKS)),
        "retired",
        "Its seeds are published",
    ),
}


@pytest.mark.parametrize("kind", STATES)
def test_what_is_said_of_the_answers_is_true_of_the_version(
    kind: str, client: Any, make_version: MakeVersion, tmp_path: Path, db: None
) -> None:
    make, state, words = STATES[kind]
    version = make(make_version, tmp_path)
    page = html.unescape(client.get(version.get_absolute_url()).content.decode())
    response = client.get(f"/api/v1/versions/{version.benchmark.slug}/{version.slug}").json()
    assert (version.disclosure.state, response["answers"]["state"]) == (state, state)
    assert words in page
    assert words in response["answers"]["text"]
    assert ("secret until retirement" in page) == ("The answers are secret" in page) == (state == "sealed")


@pytest.mark.parametrize("kind", STATES)
def test_seeds_and_key_are_shown_where_the_answers_are_no_secret_of_the_site(
    kind: str, client: Any, make_version: MakeVersion, tmp_path: Path, db: None
) -> None:
    make, state, _ = STATES[kind]
    version = make(make_version, tmp_path)
    seeds = version.settings.get("seeds") or [version.settings["seed"]]
    pages = [
        client.get(address).content.decode()
        for address in (
            version.get_absolute_url(),
            version.get_board_url(),
            "/versions/",
            f"/api/v1/versions/{version.benchmark.slug}/{version.slug}",
        )
    ]
    secrets = [keyed_ids.describe_key(key)] if (key := version.settings.get("key")) else []
    secrets += [str(seed) for seed in seeds if seed > 2**32]
    message = [any(secret in page for page in pages) for secret in secrets]
    # Ids that show their seed do so on the page, in the sample row; nothing else of such a version does.
    shown = state in ("public", "open_demo", "retired") or kind == "older timelines"
    assert message == [shown] * len(secrets)


def test_the_list_of_versions_and_the_boards_name_open_ones(client: Any, make_version: MakeVersion) -> None:
    demo, sealed = make_version(name="demo"), make_version(name="sealed", sealed=True)
    for address in ("/versions/", demo.get_board_url()):
        assert "open demo" in client.get(address).content.decode()
    page = client.get(sealed.get_board_url()).content.decode()
    assert page.count("open demo") == 1, "the other one is, in the menu of boards"
    assert f"{sealed.get_absolute_url()}#answers" not in page


@pytest.mark.parametrize("suite", ["goldevidence", "statebench"])
def test_a_preset_is_frozen_under_secret_seeds_unless_it_is_said_to_be_a_demo(suite: str, db: None) -> None:
    call_command("seed_presets", verbosity=0)
    preset = Preset.objects.select_related("benchmark").get(benchmark__suite=suite, name="quick")
    sealed = [freezing.start(preset=preset, wake_worker=False).settings for _ in range(2)]
    assert len({settings["key"] for settings in sealed} | {keyed_ids.OPEN_KEY}) == 3
    assert all(preset.benchmark.engine.version(settings).settings.has_secret_seeds for settings in sealed)
    demo = freezing.start(preset=preset, open_demo=True, wake_worker=False).settings
    assert demo == preset.settings | {"key": keyed_ids.OPEN_KEY}
    public = Preset(benchmark=preset.benchmark, name="p", settings=preset.settings | {"public_gold": True})
    public.save()
    assert freezing.start(preset=public, wake_worker=False).settings == public.settings


def test_what_was_published_stays_known(make_version: MakeVersion) -> None:
    version = retired(make_version(sealed=True))
    version.status = Version.Status.FROZEN
    version.save()
    assert version.disclosure.state == "retired"


def test_a_draft_from_before_keys_is_no_demo_once_it_is_frozen(make_version: MakeVersion) -> None:
    """Its seeds were drawn, its key is the public one: the seed in the hashed text keeps its ids secret."""
    preset = make_version().preset
    assert preset is not None
    settings = preset.checked_settings() | {"seeds": [LARGE]}
    draft = Version.objects.create(benchmark=preset.benchmark, slug="draft", title="Draft", settings=settings)
    assert freezing.freeze(draft.pk)
    draft.refresh_from_db()
    assert (draft.disclosure.state, draft.disclosure.hides_splits) == ("sealed", True)
    assert "key" not in draft.disclosure.sentence, "it was not drawn"


def test_the_key_is_no_setting_of_a_preset(admin_client: Any, make_version: MakeVersion) -> None:
    preset = make_version().preset
    assert preset is not None
    settings = jsonl.dumps(TINY | {"key": keyed_ids.OPEN_KEY}).decode()
    page = admin_client.post(
        preset.get_admin_url(),
        {
            "benchmark": preset.benchmark_id,
            "name": preset.name,
            "settings": settings,
            "title": "",
            "description": "",
        },
    )
    assert "key: is drawn at random when a version is frozen; leave it out." in html.unescape(
        page.content.decode()
    )
