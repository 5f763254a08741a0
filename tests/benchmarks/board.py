"""The board: 1,000 systems, 100,000 submissions behind it. Server time and number of queries.

python -m tests.benchmarks.board [systems] [submissions]
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
import zlib

SYSTEMS, SUBMISSIONS = (
    (int(sys.argv[1]) if len(sys.argv) > 1 else 1000),
    (int(sys.argv[2]) if len(sys.argv) > 2 else 100_000),
)


def fill(version, systems: int, submissions: int) -> None:
    """Fill a board with copies of one real graded submission, each right in other rows of every cell and unit.

    Systems differ in ability and questions in difficulty, which all systems share. The orders of a system differ so
    far that about half of them may be its worst. All are verified, and ranked.
    """
    import numpy as np
    from django.contrib.auth import get_user_model

    from leaderboard.boards import slices
    from leaderboard.submissions.models import Score, Submission, System

    real = Submission.objects.filter(version=version, shown=True).select_related("score").first()
    assert real is not None
    assert real.score is not None
    user = get_user_model().objects.create_user("bench")
    made = System.objects.bulk_create(
        System(owner=user, name=f"system {n}", slug=f"system-{n}") for n in range(systems)
    )
    of_cells = slices.table(real.score.cells, real.score.cell_scores)
    noise = np.random.Generator(np.random.PCG64(0))
    difficulty = noise.normal(0, 1, of_cells.shape[1])
    of_whole = np.array([condition == real.score.cells[-1][-1] for *_, condition in real.score.cells])
    copies = [
        Submission(
            version=version, system=made[n % systems], submitter=user, status="graded", shown=n < systems,
            file_sha256=real.file_sha256, row_count=real.row_count, conditions=real.conditions, verified=True,
        )
        for n in range(submissions)
    ]  # fmt: skip
    Submission.objects.bulk_create(copies, batch_size=2000)
    scores = []
    for number, submission in enumerate(copies):
        units = of_cells.copy()
        hard = difficulty - noise.normal(1, 1) + noise.normal(0, 0.7, len(difficulty))
        chance = 1 / (1 + np.exp(hard + noise.normal(0, 0.3, (len(of_cells), 1))))
        units[..., 0] = noise.binomial(units[..., 1].astype(int), chance)
        whole = units[of_whole].sum(axis=0)
        headline = float(whole[:, 0].sum() / whole[:, 1].sum())
        detail = number < systems
        scores.append(
            Score(
                submission=submission, grader=real.score.grader, headline=headline, spread=real.score.spread,
                metrics=real.score.metrics | {"exact_acc": headline} if detail else {},
                intervals=real.score.intervals if detail else {}, groups=real.score.groups if detail else {},
                unit_scores=whole.tobytes() if detail else b"", robust_scores=whole.tobytes() if detail else b"",
                cells=real.score.cells if detail else [], cell_scores=zlib.compress(units.tobytes()) if detail else b"",
            )
        )  # fmt: skip
    Score.objects.bulk_create(scores, batch_size=2000)
    for submission, score in zip(copies, scores, strict=True):
        submission.score = score
    Submission.objects.bulk_update(copies, ["score"], batch_size=2000)


def land_another(version) -> None:
    """Add a new system to the middle of the board: a copy of the middle one with one unit changed."""
    import numpy as np

    from leaderboard.boards import slices
    from leaderboard.submissions.models import Submission, System

    shown = Submission.objects.filter(version=version, shown=True, system__slug__startswith="system-")
    submission = shown.order_by("score__headline")[shown.count() // 2]
    score, owner = submission.score, submission.system.owner
    units = slices.table(score.cells, score.cell_scores).copy()
    at = tuple(np.argwhere(units[..., 0] > 0)[0])
    units[(*at[:2], 0)] -= 1
    score.pk = submission.pk = None
    submission._state.adding = score._state.adding = True
    submission.system = System.objects.create(owner=owner, name="another system", slug="another-system")
    submission.score = None
    submission.save()
    score.submission, score.cell_scores = submission, zlib.compress(units.tobytes())
    score.save()
    submission.score = score
    submission.save()


def measure(client, url: str, *, times: int = 7) -> None:
    """Print the median server time of a page and its number of queries."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    started = time.perf_counter()
    client.get(url)
    cold = time.perf_counter() - started
    seconds = []
    for _ in range(times):
        with CaptureQueriesContext(connection) as queries:
            started = time.perf_counter()
            response = client.get(url)
            seconds.append(time.perf_counter() - started)
    assert response.status_code == 200, response.status_code
    took = f"{1000 * statistics.median(seconds):7.1f} ms (first {1000 * cold:7.1f})"
    print(f"{url:60} {took} {len(queries):3} queries {len(response.content):9,} bytes")


def main() -> None:
    os.environ["DATA_DIR"] = tempfile.mkdtemp()
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchsite.settings"
    import django

    django.setup()
    from django.core.management import call_command
    from django.test import Client

    from leaderboard.benchmarks import seeding
    from leaderboard.boards.placements import computing
    from leaderboard.runs import services as runs

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    seeding.presets("goldevidence")
    version = seeding.frozen("goldevidence", "order-bias", tell=print)
    run = runs.start(
        version=version, executor="latest_step", started_by=seeding.site_user(), wake_worker=False
    )
    runs.execute(str(run.pk), grade_now=True)
    client = Client()
    url = version.get_board_url()
    measure(client, url)
    fill(version, SYSTEMS, SUBMISSIONS)
    print(f"{SYSTEMS:,} systems, {SUBMISSIONS:,} submissions:")
    started, worked = time.perf_counter(), time.process_time()
    boards = computing.store(version)
    took, worked = time.perf_counter() - started, time.process_time() - worked
    print(f"a worker ranks {boards} boards in {took:.1f} s, {worked:.1f} s of them at work")
    land_another(version)
    started, worked = time.perf_counter(), time.process_time()
    boards = computing.store(version)
    took, worked = time.perf_counter() - started, time.process_time() - worked
    print(f"after another landing it ranks {boards} in {took:.1f} s, {worked:.1f} s of them at work")
    queries = ("", "?verified=on", "?kind=llm&q=system+9", "?sort=-value_acc")
    for address in (*(url + query for query in queries), "/systems/", "/versions/"):
        measure(client, address)
    for figure in ("", "order.json", "splits.json", "failures.json", "splits.csv"):
        measure(client, f"{url}figures/{figure}")


if __name__ == "__main__":
    main()
