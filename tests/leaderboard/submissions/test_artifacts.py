"""Build versions on the site: frozen, run, uploaded, graded, and their artifacts shown."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from evaluation.core import jsonl
from evaluation.core.files.artifacts import is_artifact
from leaderboard.benchmarks import freezing, storage
from leaderboard.benchmarks.models import Benchmark, Preset, Version
from leaderboard.benchmarks.rows import reading
from leaderboard.benchmarks.sealing import verifying
from leaderboard.runs import catalogue, execution
from leaderboard.runs import services as runs
from leaderboard.submissions import artifacts
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission
from tests.leaderboard.conftest import TINY
from tests.leaderboard.runs.running import again


@pytest.fixture
def built(make_version: Any) -> Version:
    """An open demo version of the protocol `build`."""
    return make_version(name="built", protocol="build")


def finished(version: Version, executor: str, staff: Any) -> Any:
    run = runs.start(version=version, executor=executor, started_by=staff, wake_worker=False)
    assert runs.execute(str(run.pk), grade_now=True), again(run).error
    return again(run)


@pytest.mark.parametrize("protocol", ["closed", "open", "build"])
def test_a_sealed_version_of_each_protocol_is_frozen_and_verified(make_version: Any, protocol: str) -> None:
    version = make_version(name="sealed", sealed=True, protocol=protocol)
    rows = list(reading.rows_of(version))
    text, other = ("book", "document") if protocol == "closed" else ("document", "book")
    assert all(row[text] and other not in row and row["meta"]["protocol"] == protocol for row in rows)
    assert verifying.verify(version.pk)
    assert verifying.repair(version.pk)


def test_a_preset_under_both_makes_a_closed_and_an_open_version_in_one_act(db: Any) -> None:
    preset = Preset.objects.create(
        benchmark=Benchmark.objects.get(suite="goldevidence"),
        name="twice",
        title="Twice",
        settings=TINY | {"protocol": "both"},
    )
    drafts = freezing.start_each(preset=preset, wake_worker=False)
    assert [(draft.slug, draft.title) for draft in drafts] == [
        ("twice-closed", "Twice, closed"),
        ("twice-open", "Twice, open"),
    ]
    assert [draft.settings["protocol"] for draft in drafts] == ["closed", "open"]
    assert drafts[0].settings["key"] != drafts[1].settings["key"]
    assert all(freezing.freeze(draft.pk) for draft in drafts)
    assert len(set(preset.versions.values_list("sha256", flat=True))) == 2
    assert "book" in freezing.preview(preset)
    assert freezing.outlook(preset).row_count


@pytest.mark.parametrize("executor", ["ledger", "adapter:log_to_book", "adapter:book_builder"])
def test_a_run_builds_first_and_its_submission_keeps_the_artifacts(
    built: Version, staff: Any, executor: str
) -> None:
    run = finished(built, executor, staff)
    score = run.submission.score
    assert score.metrics["exact_acc"] == 1
    assert score.metrics["artifact_missing_share"] == 0
    lines = list(storage.rows(run.submission.file_sha256))
    episodes = {row["episode_id"] for row in reading.rows_of(built)}
    assert {line["episode_id"] for line in lines if is_artifact(line)} == episodes
    assert run.submission.row_count == built.row_count == sum(not is_artifact(line) for line in lines)


def test_the_page_of_a_run_leads_to_its_artifacts(built: Version, staff: Any, client: Any) -> None:
    run = finished(built, "adapter:log_to_book", staff)
    client.force_login(staff)
    page = client.get(run.get_absolute_url()).content.decode()
    assert f"{run.submission.get_absolute_url()}artifacts/" in page


def test_a_run_that_broke_off_does_not_build_again(built: Version, staff: Any, monkeypatch: Any) -> None:
    from evaluation.goldevidence.adapters.books.log_to_book import LogToBookAdapter

    run = runs.start(version=built, executor="adapter:log_to_book", started_by=staff, wake_worker=False)
    rows = execution.questions_of(run)
    whole = LogToBookAdapter().build_artifact(rows[0]["document"], rows[0]["episode_id"], "build")
    path, identity = execution.path_of(run), {"identity": {"run": str(run.pk)}}
    jsonl.write(path, [{"episode_id": rows[0]["episode_id"], "artifact": whole}])
    jsonl.write(path.with_name(f"{path.name}.journal"), [identity])
    asked: list[str] = []
    build = LogToBookAdapter.build_artifact

    def counting(self: Any, document: str, episode_id: str, protocol: str) -> str:
        asked.append(episode_id)
        return build(self, document, episode_id, protocol)

    monkeypatch.setattr(LogToBookAdapter, "build_artifact", counting)
    assert runs.execute(str(run.pk), grade_now=True), again(run).error
    assert rows[0]["episode_id"] not in asked
    assert len(asked) == len({row["episode_id"] for row in rows}) - 1


def test_only_systems_of_two_phases_are_offered(built: Version, version: Version) -> None:
    assert set(catalogue.adapters(built)) == {"adapter:log_to_book", "adapter:book_builder"}
    assert "adapter:llama_cpp" in catalogue.adapters(version)


def test_an_upload_whose_artifact_is_the_log_is_refused_with_its_line(
    built: Version, system: Any, predictions: Any
) -> None:
    path = predictions(built)
    lines = list(jsonl.read(path))
    place = next(number for number, line in enumerate(lines) if is_artifact(line))
    episode = lines[place]["episode_id"]
    row = next(row for row in reading.rows_of(built) if row["episode_id"] == episode)
    jsonl.write(path, [*lines[:place], lines[place] | {"artifact": row["document"]}, *lines[place + 1 :]])
    with pytest.raises(submissions.RejectedError, match="is refused: it is the log itself") as caught:
        submissions.accept(built, path, sent_by=system.owner)
    assert caught.value.intake.problems[0].line == place + 1


def test_artifacts_can_be_looked_at_and_downloaded(
    built: Version, system: Any, submit: Any, client: Any
) -> None:
    made = submit(built, system)
    page = client.get(made.get_absolute_url()).content.decode()
    assert "View the artifacts" in page
    assert "Missing lines" in page
    first, second = artifacts.artifacts(made)[:2]
    address = f"{made.get_absolute_url()}artifacts/"
    shown = client.get(address, {"episode": second.episode_id}).content.decode()
    assert f"# GoldEvidenceBench Episode {second.episode_id}" in shown
    assert first.episode_id in shown
    assert client.get(address, {"episode": "nobody"}).status_code == 404
    lines = client.get(f"{made.get_absolute_url()}artifacts.jsonl").content.splitlines()
    assert json.loads(lines[0]) == {"episode_id": first.episode_id, "artifact": first.text}
    answer = client.get(f"/api/v1/submissions/{made.pk}/artifacts", {"limit": 1}).json()
    assert answer["items"][0] == {"artifact": first.text, **first.stats}
    assert client.get(answer["next"]).json()["items"][0]["episode_id"] == second.episode_id


def test_artifacts_of_a_sealed_version_are_shown_to_their_sender(
    make_version: Any, system: Any, submit: Any, client: Any, other: Any
) -> None:
    made = submit(make_version(name="sealed", sealed=True, protocol="build"), system)
    addresses = [f"{made.get_absolute_url()}artifacts/", f"/api/v1/submissions/{made.pk}/artifacts"]
    client.force_login(other)
    assert [client.get(address).status_code for address in addresses] == [403, 403]
    assert "View the artifacts" not in client.get(made.get_absolute_url()).content.decode()
    client.force_login(system.owner)
    assert [client.get(address).status_code for address in addresses] == [200, 200]


def shown_to_owner(submission: Any, client: Any) -> list[dict[str, Any]]:
    """Each artifact as its owner sees it, without its text: from the API, and the cells of the page."""
    client.force_login(submission.submitter)
    items = client.get(f"/api/v1/submissions/{submission.pk}/artifacts").json()["items"]
    for item in items:
        page = client.get(f"{submission.get_absolute_url()}artifacts/", {"episode": item["episode_id"]})
        cells = re.findall(r'<td class="n">([^<]*)</td>', page.content.decode())
        item["cells"] = cells
    return [{name: value for name, value in item.items() if name != "artifact"} for item in items]


def test_ten_uploads_teach_nothing_of_the_lines_that_hold(
    make_version: Any, system: Any, client: Any, tmp_path: Any
) -> None:
    """A climber removes one line of each book per upload, and leaves it out if the counts do not fall."""
    version = make_version(name="sealed", sealed=True, protocol="build")
    runner = version.suite.systems()["ledger"].build()
    answers = [answer for row in reading.rows_of(version) for answer in _all(runner.predict(row))]
    first = None
    for number in range(4):
        changed = [_without(line, number) if is_artifact(line) else line for line in answers]
        jsonl.write(tmp_path / "sent.jsonl", changed)
        accepted = submissions.accept(version, tmp_path / "sent.jsonl")
        made = submissions.create(accepted, system=system, submitter=system.owner)
        assert submissions.grade(str(made.pk))
        told = shown_to_owner(made, client)
        for item in told:
            assert {item[name] for name in ("live", "dead", "wrong", "missing", "state")} == {None}
            assert len(item["cells"]) == 3 * len(told), "words, sections and lines of each"
        first = first or told
        counts = [(item["sections"], item["lines"]) for item in told]
        assert counts == [(item["sections"], item["lines"]) for item in first], "whichever line is spoilt"
    version.retire()
    assert all(item["wrong"] is not None for item in shown_to_owner(made, client))


def _all(answer: Any) -> list[Any]:
    return answer if isinstance(answer, list) else [answer]


def _without(line: Any, number: int) -> Any:
    """The artifact with the value of one of its ledger lines spoilt."""
    lines = line["artifact"].splitlines()
    places = [at for at, text in enumerate(lines) if re.search(r"SET \S+ = ", text)]
    at = places[number % len(places)]
    lines[at] = re.sub(r"(SET \S+ = )\S+", r"\1spoilt", lines[at])
    return line | {"artifact": "\n".join(lines) + "\n"}


def test_other_versions_have_no_page_of_artifacts(
    version: Version, system: Any, submit: Any, client: Any
) -> None:
    made: Submission = submit(version, system)
    assert client.get(f"{made.get_absolute_url()}artifacts/").status_code == 404
    assert client.get(f"/api/v1/submissions/{made.pk}/artifacts").json()["items"] == []
    assert "Artifact length" not in client.get(made.get_absolute_url()).content.decode()
