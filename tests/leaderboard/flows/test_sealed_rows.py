"""Rows of versions with withheld answers: if only the gold differs, the pages are the same, byte for byte."""

from __future__ import annotations

import copy
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import transaction
from django.urls import reverse

from evaluation.core.suite import get_suite
from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.rows import reading
from leaderboard.ready_pages.middleware import AS_OF
from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.rows import store
from tests.leaderboard.submissions.rows.conftest import nothing_remembered  # noqa: F401 (a fixture)

MakeVersion = Callable[..., Version]
EPISODES = {
    "generator": {"episodes": 2, "steps": 24, "queries": 3, "keys": 4, "chapters": 2, "twins": True},
    "conditions": [{"k": 4, "order": "gold_first"}, {"k": 4, "order": "gold_last"}],
    "protocol": "open",
    "attack_limits": [
        {"metric": name, "ceiling": 1.0} for name in ("exact_acc", "selection_rate", "condition_value_acc")
    ],
}
TIMELINES = {"tracks": ["supersession", "authority_hierarchy", "scope_leak"], "count": 2}
CASES = {"goldevidence": EPISODES, "statebench": TIMELINES}
#: What an address may ask for. On such a version none of it may find anything that the gold decides.
QUERIES = (
    "", "step=3", "line=7", "part=lanes", "part=contexts", "part=text", "page=2", "failure=any", "failure=right",
    "depth=0.1", "condition=k4-gold_first", "label=k4-gold_first", "track=supersession", "mode=kv",
)  # fmt: skip


class Undone(Exception):
    """Takes back everything that a world wrote into the database."""


def other_answer(value: Any) -> str:
    return f"other-{len(str(value))}"


def with_other_gold(suite: str, item: Any) -> Any:
    """The item with the same public rows, and every right answer replaced."""
    gold = copy.deepcopy(item.gold)
    if suite == "goldevidence":
        for fields in gold["rows"]:
            fields[9], fields[10] = other_answer(fields[9]), ["U00000F"]
        gold["ledgers"] = [re.sub(r" = \S+", " = other-0001", text) for text in gold["ledgers"]]
    else:
        for query in gold["queries"]:
            query["decision"] = "no" if query["decision"] != "no" else "yes"
            query["must"], query["must_not"] = query["must_not"], query["must"]
        gold["track"], gold["difficulty"] = "causality", "impossible"
    return replace(item, gold=gold)


def pages(client: Any, version: Version, submission: Submission) -> dict[str, bytes]:
    """Every page of the version's rows that this reader sees, by request."""
    public = list(reading.rows_of(version))
    index = store.index_of(version, answers=False)
    assert public
    assert index.ids
    found = {}
    address = [version.benchmark.slug, version.slug]
    for query in (*QUERIES, f"system={submission.pk}", f"system={submission.pk}&failure=any"):
        name = query.replace(str(submission.pk), "S")
        found[f"rows {name}"] = client.get(f"{reverse('leaderboard:version_row_list', args=address)}?{query}")
        for row_id in index.ids[:8]:
            row = reverse("leaderboard:version_row", args=[*address, row_id])
            found[f"{row_id} {name}"] = client.get(f"{row}?{query}")
            found[f"{row_id} {name} part"] = client.get(f"{row}?{query}", headers={"HX-Request": "true"})
    assert {response.status_code for response in found.values()} == {200}
    return {name: AS_OF.sub(b"", response.content) for name, response in found.items()}


@pytest.fixture
def world(
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    make_version: MakeVersion,
    submit: Callable[..., Submission],
    user: Any,
) -> Callable[..., Any]:
    """Runs a function in a world with a sealed version, and undoes the world."""

    def run(suite: str, look: Callable[[Version, Submission], Any], *, other_gold: bool) -> Any:
        engine = get_suite(suite)
        secret = (
            engine.version(CASES[suite]).settings.with_secret_seeds()
            if not hasattr(run, suite)
            else getattr(run, suite)
        )
        setattr(run, suite, secret)
        made: Callable[[Any], Iterator[Any]] = type(engine.version({})).generate
        results = []
        with monkeypatch.context() as patch:
            patch.setattr(engine.settings, "with_secret_seeds", lambda self: secret)
            if other_gold:

                def changed(self: Any) -> Iterator[Any]:
                    return (with_other_gold(suite, item) for item in made(self))

                patch.setattr(type(engine.version({})), "generate", changed)
            try:
                with transaction.atomic():
                    version = make_version(suite, "kept", sealed=True, **CASES[suite])
                    system = System.objects.create(owner=user, name="Reader")
                    executor = "ledger" if suite == "goldevidence" else "state_based"
                    submission = submit(version, system, executor=executor)
                    results.append(look(version, submission))
                    raise Undone
            except Undone:
                pass
        shutil.rmtree(Path(settings.DATA_DIR) / "copies", ignore_errors=True)
        store._index.cache_clear()
        store._read.cache_clear()
        return results[0]

    return run


@pytest.mark.parametrize("suite", CASES)
def test_versions_that_differ_in_their_gold_alone_have_the_same_pages(
    client: Any, world: Callable[..., Any], suite: str
) -> None:
    def look(version: Version, submission: Submission) -> tuple[str, str, Any, dict[str, bytes]]:
        assert version.disclosure.state == "sealed"
        verdicts = submission.score.verdicts_sha256  # type: ignore[union-attr]
        return version.rows_sha256, version.gold_sha256, verdicts, pages(client, version, submission)

    rows, gold, verdicts, first = world(suite, look, other_gold=False)
    same_rows, other_gold, other_verdicts, second = world(suite, look, other_gold=True)
    assert rows == same_rows
    assert gold != other_gold
    assert verdicts != other_verdicts
    assert [name for name in first if first[name] != second[name]] == []


@pytest.mark.parametrize("suite", CASES)
def test_view_gold_shows_that_the_two_differ(
    client: Any, world: Callable[..., Any], suite: str, staff: Any
) -> None:
    staff.user_permissions.add(Permission.objects.get(codename="view_gold"))
    client.force_login(staff)

    def look(version: Version, submission: Submission) -> list[bytes]:
        index = store.index_of(version, answers=True)
        address = [version.benchmark.slug, version.slug]
        rows = [reverse("leaderboard:version_row", args=[*address, row_id]) for row_id in index.ids]
        return [client.get(row).content for row in rows]

    first, second = world(suite, look, other_gold=False), world(suite, look, other_gold=True)
    assert all(one != another for one, another in zip(first, second, strict=True))


@pytest.mark.parametrize("suite", CASES)
def test_a_stranger_is_told_why_and_led_to_the_public_twin(
    client: Any, make_version: MakeVersion, suite: str
) -> None:
    version = make_version(suite, "kept", sealed=True, **CASES[suite])
    twin = make_version(suite, "twin", public_gold=True, **CASES[suite])
    Version.objects.filter(pk=twin.pk).update(twin_of=version)
    index = store.index_of(version, answers=False)
    address = [version.benchmark.slug, version.slug]
    twins = reverse("leaderboard:version_row_list", args=[twin.benchmark.slug, twin.slug])
    for page in (
        client.get(reverse("leaderboard:version_row_list", args=address)).content.decode(),
        client.get(reverse("leaderboard:version_row", args=[*address, index.ids[0]])).content.decode(),
    ):
        assert "The answers are secret." in page
        assert f'href="{twins}"' in page
    for told in (
        "data-held",
        "data-changes",
        'class="span',
        'class="gold',
        "mark write stale",
        'class="stale',
        'id="answers"',
        'id="contexts"',
    ):
        assert told not in page


@pytest.mark.parametrize("suite", CASES)
def test_once_it_is_retired_its_rows_show_all(client: Any, make_version: MakeVersion, suite: str) -> None:
    version = make_version(suite, "kept", sealed=True, **CASES[suite])
    row_id = store.index_of(version, answers=False).ids[0]
    row = reverse("leaderboard:version_row", args=[version.benchmark.slug, version.slug, row_id])
    assert "data-held" not in client.get(row).content.decode()
    version.retire()
    assert "data-held" in client.get(row).content.decode()


def test_a_file_of_others_keeps_its_answers_to_itself(
    client: Any, make_version: MakeVersion, monkeypatch: Any
) -> None:
    version = make_version(name="open")
    Version.objects.filter(pk=version.pk).update(source_sha256="1" * 64)
    version.refresh_from_db()
    assert version.disclosure.state == "imported"
    row_id = store.index_of(version, answers=False).ids[0]
    page = client.get(reverse("leaderboard:version_row", args=[version.benchmark.slug, version.slug, row_id]))
    assert "data-held" not in page.content.decode()


def test_the_text_opens_at_its_top_and_nothing_leads_to_the_line_that_is_asked_about(
    client: Any, make_version: MakeVersion
) -> None:
    version = make_version(name="kept", sealed=True, **EPISODES)
    for row_id in store.index_of(version, answers=False).ids:
        row = reverse("leaderboard:version_row", args=[version.benchmark.slug, version.slug, row_id])
        page = client.get(row).content.decode()
        assert re.search(r'<li\s+class=" here"\s*><i>1</i>', page)
        assert "Last line about the question" not in page
