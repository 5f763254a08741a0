"""A sealed version reveals nothing of seed, unit, condition or gold, in any file, page, answer or error."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from evaluation.core import jsonl
from evaluation.core.sealing import keyed_ids
from evaluation.goldevidence.generator.queries import read
from leaderboard.benchmarks import expected_ids, freezing, storage
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.boards.comparison.comparison import Comparison
from leaderboard.boards.comparison.disagreements import Matrix
from leaderboard.runs import services as runs
from leaderboard.runs.model_job import JobError
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System
from tests.leaderboard.boards.older import older_version

Row = dict[str, Any]
MakeVersion = Callable[..., Version]
ORDERS = ("gold_first", "gold_middle", "gold_last", "shuffle")
#: As the preset `order-bias`, but smaller.
ORDER_BIAS = {
    "generator": {"episodes": 6, "steps": 120, "queries": 12, "keys": 12, "chapters": 4, "clear_rate": 0.01},
    "conditions": [{"k": 4, "order": order} for order in ORDERS],
}
TRACKS = {"tracks": ["causality", "supersession", "supersession_maintain"], "count": 3}


@pytest.fixture
def episodes(make_version: MakeVersion) -> Version:
    return make_version(name="order-bias", sealed=True, **ORDER_BIAS)


@pytest.fixture
def timelines(make_version: MakeVersion) -> Version:
    return make_version("statebench", name="timelines", sealed=True, **TRACKS)


@pytest.fixture(params=["episodes", "timelines"])
def sealed(request: pytest.FixtureRequest) -> Version:
    result: Version = request.getfixturevalue(request.param)
    return result


def downloaded(client: Any, version: Version) -> list[bytes]:
    """The lines of the public file."""
    address = reverse("leaderboard:version_rows", args=[version.benchmark.slug, version.slug])
    return gzip.decompress(b"".join(client.get(address).streaming_content)).splitlines()


# --- attacks on the file


def rebuilt_gold(version: Version, rows: list[Row]) -> str | None:
    """The SHA-256 of the withheld gold, rebuilt from the ids of a download; None if they hold no seed."""
    result = re.match(r"G(\d+)-", rows[0]["id"])
    if not result:
        return None
    engine = version.suite
    items = engine.version(version.settings | {"seed": int(result[1])}).generate()
    names = {item.key: row["id"] for item, row in zip(items, rows, strict=True)}
    with storage.writing() as writer:
        for item in engine.version(version.settings | {"seed": int(result[1])}).generate():
            writer.write_row(item.gold | {"timeline_id": names[item.key]})
    return writer.sha256


def test_the_gold_of_timelines_was_rebuilt_from_a_download_and_is_no_more(
    client: Any, timelines: Version
) -> None:
    before = older_version("statebench", "before", seed=2**61 + 7, **TRACKS)
    assert rebuilt_gold(before, list(map(json.loads, downloaded(client, before)))) == before.gold_sha256
    assert rebuilt_gold(timelines, list(map(json.loads, downloaded(client, timelines)))) is None


def by_id_alone(row: Row) -> Row:
    """Choose a candidate by hints of the id or the metadata about the order, and answer with its value."""
    result = f"{row['id']} {row['meta'].get('condition', '')}"
    lines = row["candidates"]
    places = {"gold_first": 0, "gold_last": -1, "gold_middle": (len(lines) - 1) // 2}
    line = lines[next((place for name, place in places.items() if name in result), 0)]
    return {"id": row["id"], "value": line["value"], "support_ids": [line["uid"]]}


def right_by_id(client: Any, version: Version, tmp_path: Path) -> tuple[int, int, float]:
    """(right answers, direct questions in orders that a name reveals, chance that the first line is the gold one)"""
    splits = expected_ids.expected_rows(version).splits
    rows = [json.loads(line) for line in downloaded(client, version)]
    asked = [
        row
        for row in rows
        if splits[row["id"]].endswith(("first", "last")) and read(row["question"]).derived_op is None
    ]
    golds = {
        case[0]: case[10]  # the id of a row, the ids of its gold lines: see `goldevidence.case.Case`
        for record in storage.rows(version.gold_sha256)
        for case in record["rows"]
    }
    picked = [by_id_alone(row)["support_ids"] == golds[row["id"]] for row in asked]
    chance = sum(1 / len(row["candidates"]) for row in asked) / len(asked)
    return sum(picked), len(picked), chance


def test_direct_questions_were_answered_by_id_alone_and_are_at_chance_now(
    client: Any, episodes: Version, tmp_path: Path
) -> None:
    before = older_version("goldevidence", "before", seeds=[2**61 + 7], **ORDER_BIAS)
    right, asked, _ = right_by_id(client, before, tmp_path)
    assert right == asked > 100
    right, asked, _ = right_by_id(client, episodes, tmp_path)
    # Half of these rows show the gold line first: who cannot tell them from the others is right in that half.
    assert abs(right / asked - 0.5) < 0.02


def test_the_lines_tell_neither_seed_nor_key_nor_condition(client: Any, sealed: Version) -> None:
    text = b"\n".join(downloaded(client, sealed)).decode()
    suite = sealed.suite
    result = [
        secret
        for secret in suite.version(sealed.settings).settings.withheld()
        if len(secret) > 12 and secret in text
    ]
    assert [
        secret for secret in result if not secret.startswith("supersession")
    ] == []  # a type of events, too
    rows = [json.loads(line) for line in text.splitlines()]
    assert not [name for row in rows for name in ("track", "difficulty", "domain", "seed") if name in row]


def test_lines_stand_in_the_order_of_ids_and_have_one_length(client: Any, sealed: Version) -> None:
    lines = downloaded(client, sealed)
    ids = [json.loads(line)["id"] for line in lines]
    assert ids == sorted(ids)
    assert all(map(keyed_ids.is_keyed, ids))
    forms: dict[tuple[str, ...], set[int]] = {}
    for line in lines:
        forms.setdefault(tuple(sorted(json.loads(line))), set()).add(len(line))
    assert all(len(lengths) == 1 for lengths in forms.values())
    assert json.loads(lines[0])["id"] in (sealed.sample["id"], ids[0])


def test_two_versions_of_one_preset_share_no_id(client: Any, make_version: MakeVersion) -> None:
    files = [
        {json.loads(line)["id"] for line in downloaded(client, version)}
        for version in (make_version(name=name, sealed=True) for name in ("one", "two"))
    ]
    assert not files[0] & files[1]


def test_titles_of_texts_tell_neither_unit_nor_twin(client: Any, episodes: Version) -> None:
    titles: dict[str, set[str]] = {}
    for line in downloaded(client, episodes):
        row = json.loads(line)
        for name in ("book", "document"):
            if name in row:
                titles.setdefault(row["episode_id"], set()).add(row[name].partition("\n")[0])
    assert len(titles) == 2 * episodes.unit_count  # an episode and its twin have titles of their own
    assert all(shown_text == {f"# GoldEvidenceBench Episode {known}"} for known, shown_text in titles.items())


def test_with_the_published_key_the_ids_are_made_again(client: Any, episodes: Version) -> None:
    episodes.retire()
    key = episodes.settings["key"]
    assert key in client.get(episodes.get_absolute_url()).content.decode()
    items = list(episodes.bound.generate())
    made = sorted(row["id"] for item in items for row in item.rows)
    assert made == [json.loads(line)["id"] for line in downloaded(client, episodes)]
    row = items[0].rows[0]
    seed = episodes.settings["seeds"][0]
    assert row["id"] == keyed_ids.row_id(key, unit=f"{seed}:E0001", question="Q001", split="closed_book")


def test_a_freeze_refuses_a_file_whose_metadata_tells_a_condition(db: None) -> None:
    preset = Preset.objects.create(
        benchmark=Benchmark.objects.get(suite="goldevidence"),
        name="telling",
        settings={
            "generator": {
                "episodes": 1,
                "steps": 24,
                "queries": 3,
                "keys": 4,
                "chapters": 2,
                "derived_query_rate": 0,
            },
            "conditions": [{"k": 2, "name": "direct"}],  # `meta.query_type` says that, too
        },
    )
    version = freezing.start(preset=preset, wake_worker=False)
    assert not freezing.freeze(version.pk)
    version.refresh_from_db()
    assert version.status == Version.Status.FAILED
    assert "reveals more than its text: its metadata contains 'direct', the name of a split" in version.error


# --- attacks on what the site says


@pytest.fixture
def rows_shown(sealed: Version) -> None:
    """Make the version like those frozen before figures were rounded: they show verdicts, without conditions."""
    Version.objects.filter(pk=sealed.pk).update(figure_step=0)
    sealed.refresh_from_db()


@pytest.fixture
def graded(sealed: Version, user: Any, submit: Callable[..., Submission]) -> Submission:
    name = "ledger" if sealed.benchmark.suite == "goldevidence" else "no_memory"
    system = System.objects.create(owner=user, name="A system")
    return submit(sealed, system, executor=name, visibility=Submission.Visibility.PUBLIC)


def told_of_rows(text: str, version: Version) -> list[str]:
    """The names of conditions found in a text."""
    return [name for name in version.conditions if name != "closed_book" and re.search(rf"\b{name}\b", text)]


@pytest.mark.usefixtures("rows_shown")
def test_verdicts_show_no_reader_a_condition(client: Any, graded: Submission, user: Any) -> None:
    version = graded.version
    address = reverse("leaderboard:submission_rows", args=[graded.pk])
    for reader in (None, user):
        if reader is not None:
            client.force_login(reader)
        page = client.get(f"{address}?failure=").content.decode()
        rows = client.get(f"/api/v1/submissions/{graded.pk}/rows?limit=100").json()["items"]
        assert told_of_rows(re.sub(r"(?s)<details.*?</details>", "", page), version) == []
        assert told_of_rows(json.dumps(rows), version) == []
        assert {row["condition"] for row in rows} <= {"closed_book", "candidates", "timeline"}
        placing = {"track", "difficulty", "domain", "twin_consistent", "gold_present", "in_headline"}
        assert not [name for row in rows for name in placing & row.keys()]
    assert [row["id"] for row in rows] == sorted(row["id"] for row in rows)


@pytest.mark.usefixtures("rows_shown")
def test_rows_cannot_be_filtered_by_their_condition(client: Any, graded: Submission) -> None:
    for name in graded.version.conditions:
        response = client.get(f"/api/v1/submissions/{graded.pk}/rows?condition={name}").json()["items"]
        assert bool(response) == (name == "closed_book")
    forms = {graded.version.suite.form_of(name) for name in graded.version.conditions}
    for name in forms:
        assert client.get(f"/api/v1/submissions/{graded.pk}/rows?condition={name}").json()["items"]


@pytest.mark.usefixtures("rows_shown")
def test_a_comparison_names_no_condition_of_a_row(
    client: Any, graded: Submission, other: Any, submit: Callable[..., Submission]
) -> None:
    version = graded.version
    name = "naive" if version.benchmark.suite == "goldevidence" else "state_based"
    second = submit(version, System.objects.create(owner=other, name="B"), executor=name, visibility="public")
    query = f"s={graded.pk}&s={second.pk}"
    table = client.get(f"{reverse('leaderboard:compare_export', args=['rows'])}?{query}").content.decode()
    assert told_of_rows(table, version) == []
    for condition in version.conditions:
        rows = client.get(
            f"{reverse('leaderboard:compare_export', args=['rows'])}?{query}&condition={condition}"
        ).content.decode()
        assert len(rows.splitlines()) > 1 or condition != "closed_book"
        assert len(rows.splitlines()) == 1 or condition == "closed_book"
    comparison = Comparison(version, [graded, second])
    whole = Matrix(comparison, split=version.suite.form_of(list(version.conditions)[-1]))
    assert whole.total
    assert comparison.verdict_matrix.split_names == list(version.conditions)


def partial(version: Version, ids: list[str], tmp_path: Path) -> Path:
    suite = version.suite
    line: Callable[[str], Row] = (
        (lambda row_id: {"id": row_id, "value": "x", "support_ids": []})
        if suite.name == "goldevidence"
        else (lambda row_id: {"timeline_id": row_id[:-2], "query_idx": int(row_id[-1]), "response": "x"})
    )
    jsonl.write(tmp_path / "partial.jsonl", map(line, ids))
    return tmp_path / "partial.jsonl"


def test_a_refused_file_learns_no_condition(sealed: Version, tmp_path: Path) -> None:
    splits = expected_ids.expected_rows(sealed).splits
    last = list(sealed.conditions)[-1]
    of_last = [row_id for row_id, name in splits.items() if name == last]
    for ids in (of_last[:1], of_last):
        result = submissions.validate(sealed, partial(sealed, ids, tmp_path))
        assert result.counts == {"missing_id": sum(result.counts.values())}
        assert told_of_rows(" ".join(problem.message for problem in result.problems), sealed) == []
        assert "Answer every row of a kind, or leave the kind out." in result.problems[0].message


def test_rows_that_are_missed_are_told_in_an_order_that_says_nothing(
    sealed: Version, user: Any, tmp_path: Path
) -> None:
    splits = expected_ids.expected_rows(sealed).splits
    file = partial(sealed, [list(splits)[-1]], tmp_path)
    with pytest.raises(submissions.RejectedError) as refused:
        submissions.dry_run(sealed, file, sent_by=user)
    [problem] = refused.value.intake.problems
    matches = re.findall(r"[ru][0-9a-f]{12}(?:#\d+)?", problem.message)
    form, form_of = expected_ids.expected_rows(sealed).forms, sealed.suite.form_of
    assert form is not None
    missing = sorted(
        row_id
        for row_id, name in splits.items()
        if form_of(name) == form[list(splits)[-1]] and row_id != list(splits)[-1]
    )
    assert (matches, problem.id) == (missing[:5], missing[0])


def test_the_list_of_versions_is_not_narrowed_by_their_secrets(
    client: Any, make_version: MakeVersion, bare_staff: Any
) -> None:
    version = make_version(sealed=True)
    bare_staff.user_permissions.add(Permission.objects.get(codename="view_version"))
    client.force_login(bare_staff)
    address = reverse("admin:leaderboard_version_changelist")
    assert "1 version" in client.get(address).content.decode()
    for secret in (
        {"settings__key__startswith": version.settings["key"][0]},
        {"settings__seeds__0__gte": "0"},
        {"settings__icontains": version.settings["key"]},
    ):
        assert client.get(address, secret).status_code == 400


def test_all_rows_that_show_the_same_are_a_file(episodes: Version, tmp_path: Path) -> None:
    splits = expected_ids.expected_rows(episodes).splits
    books = [row_id for row_id, name in splits.items() if name == "closed_book"]
    result = submissions.validate(episodes, partial(episodes, books, tmp_path))
    assert (result.ok, list(result.splits)) == (True, ["closed_book"])
    result = submissions.validate(episodes, partial(episodes, [*set(splits) - set(books)], tmp_path))
    assert (result.ok, list(result.splits)) == (True, [f"k4-{order}" for order in ORDERS])


def test_a_run_answers_all_candidates_or_none(episodes: Version, staff: Any) -> None:
    def started(*names: str) -> list[str]:
        run = runs.start(
            version=episodes, executor="ledger", started_by=staff, splits=list(names), wake_worker=False
        )
        return run.conditions

    with pytest.raises(
        JobError, match=r"is sealed, so the rows of a single condition are secret\. Choose cand"
    ):
        started("k4-gold_first")
    assert started("candidates") == [f"k4-{order}" for order in ORDERS]
    assert started("closed_book") == ["closed_book"]
    assert started() == []


def test_the_form_of_a_run_offers_what_rows_show(admin_client: Any, episodes: Version) -> None:
    address = f"{reverse('leaderboard:run_start')}?version={episodes.benchmark.slug}/{episodes.slug}"
    page = admin_client.get(address).content.decode()
    assert 'value="candidates"' in page
    assert 'value="k4-gold_first"' not in page


def lines_of(version: Version) -> Iterator[bytes]:
    return storage.lines(version.rows_sha256)


def test_the_downloaded_bytes_fit_the_published_checksum(client: Any, sealed: Version) -> None:
    text = b"".join(lines_of(sealed))
    assert hashlib.sha256(text).hexdigest() == sealed.rows_sha256
    assert text == b"\n".join([*downloaded(client, sealed), b""])
