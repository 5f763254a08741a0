"""A run continues from its last row on another machine: its answers are in the artifact store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leaderboard.benchmarks import storage
from leaderboard.jobs import leases
from leaderboard.runs import copies, execution, life
from leaderboard.runs import services as runs
from leaderboard.runs.models import Run
from tests.leaderboard.runs.running import again

pytestmark = pytest.mark.django_db
Machine = Callable[[str], copies.Copy]


@pytest.fixture
def store(settings: Any) -> Path:
    """The store of the test's site, in no folder of the machines below."""
    return Path(settings.STORAGES["artifacts"]["OPTIONS"]["location"])


@pytest.fixture
def run(small: Any, staff: Any) -> Run:
    return runs.start(version=small, executor="adapter:retrieval", started_by=staff, wake_worker=False)


@pytest.fixture
def machine(run: Run, settings: Any, tmp_path: Path) -> Machine:
    """The run as it is claimed on a machine, by the machine's name."""

    def claimed(name: str) -> copies.Copy:
        settings.DATA_DIR = tmp_path / name
        Run.objects.update(status="queued", lease_until=None)
        lease = life.claim(Run, str(run.pk), execution.files_of)
        assert lease is not None
        return execution.copy_of(lease.row(), lease)

    return claimed


def write(run: Run, suffix: str, text: str) -> None:
    with execution.path_of(run).with_name(f"{run.pk}{suffix}").open("a") as file:
        file.write(text)


def read(run: Run) -> dict[str, str]:
    files = execution.path_of(run).parent.glob(f"{run.pk}.*")
    return {
        path.name.removeprefix(str(run.pk)): path.read_text() for path in files if path.suffix != copies.MARK
    }


def stored(store: Path) -> list[str]:
    return sorted(path.name for path in store.rglob("*.zip"))


def test_another_machine_has_the_files_as_they_were_last_copied(
    run: Run, machine: Machine, store: Path
) -> None:
    first = machine("first")
    first.fetch()
    write(run, ".jsonl", "1\n")
    write(run, ".jsonl.journal", "it\n1\n")
    first.save(force=True)
    write(run, ".jsonl", "2\n")
    write(run, ".transcripts.jsonl", "said 2\n")
    first.save(force=True)
    write(run, ".jsonl", "3\n")
    assert stored(store) == ["1.zip", "2.zip"]
    machine("second").fetch()
    assert read(run) == {".jsonl": "1\n2\n", ".jsonl.journal": "it\n1\n", ".transcripts.jsonl": "said 2\n"}


def test_a_part_holds_what_is_new_alone(run: Run, machine: Machine, store: Path) -> None:
    first = machine("first")
    write(run, ".jsonl", "a long line, which is not sent twice\n" * 10_000)
    first.save(force=True)
    first.save(force=True)
    assert stored(store) == ["1.zip"]
    write(run, ".jsonl", "more\n")
    first.save(force=True)
    assert max(store.rglob("2.zip")).stat().st_size < 300


def test_the_machine_that_had_the_run_last_goes_on_with_its_own_files(
    run: Run, machine: Machine, store: Path
) -> None:
    first = machine("first")
    write(run, ".jsonl", "1\n")
    first.save(force=True)
    write(run, ".jsonl", "2\n")
    machine("second")  # which dies before it has saved anything
    machine("first").fetch()
    assert read(run) == {".jsonl": "1\n2\n"}


def test_what_a_machine_has_from_earlier_gives_way_to_what_another_did_since(
    run: Run, machine: Machine, store: Path
) -> None:
    first = machine("first")
    write(run, ".jsonl", "1\nno answer\nno answer\n")
    first.save(force=True)
    second = machine("second")
    second.fetch()
    path = execution.path_of(run)
    path.with_suffix(".new").write_text("1\n")  # asked again: the rows without an answer are dropped
    path.with_suffix(".new").replace(path)
    write(run, ".jsonl", "2\n")
    second.save(force=True)
    assert stored(store) == ["1.zip"]  # that of the first is deleted
    machine("first").fetch()
    assert read(run) == {".jsonl": "1\n2\n"}


def test_a_file_that_is_replaced_within_an_attempt_is_copied_whole(
    run: Run, machine: Machine, store: Path
) -> None:
    first = machine("first")
    write(run, ".jsonl", "1\n2\n3\n")
    first.save(force=True)
    path = execution.path_of(run)
    path.with_name("new").write_text("4\n5\n6\n7\n")
    path.with_name("new").replace(path)
    first.save(force=True)
    machine("second").fetch()
    assert read(run) == {".jsonl": "4\n5\n6\n7\n"}


def test_many_parts_are_begun_anew(
    run: Run, machine: Machine, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "MOST_PARTS", 3)
    first = machine("first")
    for number in range(8):
        write(run, ".jsonl", f"{number}\n")
        first.save(force=True)
    assert stored(store) == ["1.zip", "2.zip"]
    machine("second").fetch()
    assert read(run) == {".jsonl": "".join(f"{number}\n" for number in range(8))}


def test_a_worker_that_lost_the_lease_copies_nothing(run: Run, machine: Machine, store: Path) -> None:
    first = machine("first")
    write(run, ".jsonl", "1\n")
    machine("second")
    with pytest.raises(leases.LostError):
        first.save(force=True)
    assert again(run).files_copy == {}


def test_a_store_that_is_away_stops_no_run(
    run: Run, machine: Machine, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise ConnectionError("no route to the bucket")

    first = machine("first")
    write(run, ".jsonl", "1\n")
    with monkeypatch.context() as patch:
        patch.setattr(storage, "put", away)
        first.save(force=True)
    first.save()
    assert stored(store) == []  # it is asked again after five minutes
    first.save(force=True)
    assert stored(store) == ["1.zip"]


def test_where_the_store_lies_in_the_folder_of_all_workers_nothing_is_copied(
    run: Run, machine: Machine, store: Path
) -> None:
    shared = machine(str(store.parent))
    assert copies.is_shared()
    write(run, ".jsonl", "1\n")
    shared.save(force=True)
    assert stored(store) == []


def test_a_run_that_breaks_off_goes_on_elsewhere_and_one_that_finishes_leaves_no_copy(
    run: Run, machine: Machine, store: Path, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DATA_DIR = tmp_path / "first"
    with monkeypatch.context() as patch:
        patch.setattr(execution.provenance, "with_adapter", lambda *_: 1 / 0)
        assert not runs.execute(str(run.pk))
    assert stored(store) == ["1.zip"]
    saved = read(run)[".jsonl"]
    settings.DATA_DIR = tmp_path / "second"
    assert runs.resume(again(run), wake_worker=False)
    done: list[int] = []
    answer = execution.runner.run
    monkeypatch.setattr(
        execution.runner, "run", lambda *a, **k: done.append(len(k["done_ids"])) or answer(*a, **k)
    )
    assert runs.execute(str(run.pk)), again(run).error
    assert done == [len(saved.splitlines())]
    assert stored(store) == []
    assert list((tmp_path / "second" / "runs").iterdir()) == []
