"""A version of long texts in bounded memory: `python -m tests.benchmarks.documents [units] [steps of a log]`.

Each step is a process of its own over the same database and files, so that its memory peak is its own: freeze with
attackers, verify, a run of a reference system, an upload with its grading, the pages, the download put together as a
flat file. 400 MB are allowed; 100 texts of 4 MB (a million tokens) are 400 MB themselves.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

UNITS, STEPS = 100, 43_000  # a log of 43,000 lines has 4 MB
MOST_MB = 400
MB = 1 << 20


@contextmanager
def told(what: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    print(f"{what:34} {time.perf_counter() - started:7.1f} s", flush=True)


def freeze(units: int, steps: int) -> None:
    """Freeze with attackers, and print how often progress was reported."""
    from django.core.management import call_command

    from leaderboard.benchmarks import freezing
    from leaderboard.benchmarks.models import Benchmark, Preset, Version

    call_command("migrate", verbosity=0)
    call_command("seed_presets", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    shape = {"steps": steps, "queries": 12, "keys": 40, "distractor_profile": "standard"}
    generator = shape | {"episodes": units, "twins": False, "revision": 2}
    preset = Preset.objects.create(
        benchmark=Benchmark.objects.get(suite="goldevidence"),
        name="long",
        title="Long",
        settings={"generator": generator, "protocol": "open"},
    )
    version = freezing.start(preset=preset, wake_worker=False)
    told_of: list[tuple[int, int]] = []
    with told("freeze, with attackers"):
        made = freezing.freeze(version.pk, on_progress=lambda *done: told_of.append(done))
    version = Version.objects.get(pk=version.pk)
    assert made, version.error
    print(
        f"{version.row_count:,} rows, {version.rows_bytes / 1000:.0f} kB gzipped; {version.document_count:,} "
        f"documents, {version.documents_bytes / MB:.1f} MB gzipped; progress told {len(told_of)} times"
    )


def verify() -> None:
    """Recompute the hashes."""
    from leaderboard.benchmarks.sealing import verifying

    with told("verify"):
        assert verifying.verify(_version().pk)


def run() -> None:
    """Run a reference system on the site; another process grades it."""
    from django.contrib.auth import get_user_model

    from leaderboard.runs import services as runs

    staff = get_user_model().objects.create_user("sam", is_staff=True)
    with told("run the ledger reader"):
        made = runs.start(version=_version(), executor="ledger", started_by=staff, wake_worker=False)
        assert runs.execute(str(made.pk)), made.error


def grade() -> None:
    """Upload answers and grade them."""
    from django.contrib.auth import get_user_model

    from leaderboard.submissions import services as submissions
    from leaderboard.submissions.models import Submission, System

    first = Submission.objects.get()
    version = _version()
    user = get_user_model().objects.create_user("ada")
    system = System.objects.create(owner=user, name="Reader")
    from evaluation.core import jsonl
    from leaderboard.benchmarks import storage

    path = Path(os.environ["DATA_DIR"]) / "again.jsonl"
    jsonl.write(path, storage.rows(first.file_sha256))
    with told("check an upload"):
        accepted = submissions.accept(version, path, sent_by=user)
    made = submissions.create(accepted, system=system, submitter=user)
    with told(f"grade {version.row_count:,} answers"):
        assert submissions.grade(str(made.pk))
    made.refresh_from_db()
    print(f"exact {made.score.metrics['exact_acc']:.3f}")


def browse() -> None:
    """Open the pages and API answers that show rows."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    from leaderboard.submissions.models import Submission

    version = _version()
    made = Submission.objects.get(submitter__username="ada")
    client = Client(headers={"host": "localhost"})
    client.force_login(get_user_model().objects.get(username="sam"))
    get_user_model().objects.filter(username="sam").update(is_superuser=True)
    place = f"{version.benchmark.slug}/{version.slug}"
    pages = {
        "version page": f"/versions/{place}/",
        "version, API": f"/api/v1/versions/{place}",
        "rows of a submission, first time": f"/submissions/{made.pk}/rows/?failure=",
        "rows of a submission": f"/submissions/{made.pk}/rows/?failure=&page=2",
        "verdicts with questions, API": f"/api/v1/submissions/{made.pk}/rows?questions=true&limit=50",
    }
    for what, address in pages.items():
        with told(what):
            response = client.get(address)
        assert response.status_code == 200, (address, response.status_code, response.content[:300])
        print(f"    {len(response.content) / 1000:,.0f} kB")


def flat() -> None:
    """Read and flatten the two files as a client does."""
    from evaluation.core import jsonl
    from evaluation.core.files.documents import beside
    from evaluation.remote.download import flatten
    from leaderboard.benchmarks import storage

    version, folder = _version(), Path(os.environ["DATA_DIR"])
    for name, sha256 in (("rows", version.rows_sha256), ("documents", version.documents_sha256)):
        with storage.open_packed(sha256) as packed:
            (folder / f"{name}.jsonl.gz").write_bytes(packed.read())
    with told("read rows with their texts"):
        assert sum(1 for _ in beside.read(folder / "rows.jsonl.gz")) == version.row_count
    with told("put them together as a flat file"):
        assert flatten(folder / "rows.jsonl.gz", folder / "documents.jsonl.gz", folder / "flat.jsonl") > 0
    print(f"{(folder / 'flat.jsonl').stat().st_size / MB:,.0f} MB flat")
    assert next(jsonl.read(folder / "flat.jsonl"))["document"]


def _version() -> Any:
    from leaderboard.benchmarks.models import Version

    return Version.objects.select_related("benchmark").get()


STEPS_OF: dict[str, Callable[..., None]] = {
    "freeze": freeze,
    "verify": verify,
    "run": run,
    "grade": grade,
    "browse": browse,
    "flat": flat,
}


def main(units: int, steps: int) -> int:
    """Run every step; 1 if a step takes more memory than allowed, else 0."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in STEPS_OF:
            numbers = [str(units), str(steps)] if name == "freeze" else []
            command = [sys.executable, "-m", "tests.benchmarks.documents", "--once", name, *numbers]
            known = {**os.environ, "DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "benchsite.settings"}
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=known)
            *lines, peak = done.stdout.splitlines()
            print(
                "\n".join(lines), f"{name + ' takes at most':34} {float(peak):7.0f} MB", sep="\n", flush=True
            )
            failed += float(peak) > MOST_MB
    return int(failed > 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--once"]:
        import django

        django.setup()
        STEPS_OF[sys.argv[2]](*map(int, sys.argv[3:]))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    else:
        given = [int(number) for number in sys.argv[1:]]
        sys.exit(main(*(given + [UNITS, STEPS][len(given) :])))
