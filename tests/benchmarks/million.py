"""Public pages over 1,000 systems and 1,000,000 submissions on PostgreSQL: times, queries, and rows read.

python -m tests.benchmarks.million [submissions]

The board of 1,000 ranked systems of `tests.benchmarks.board`; the database then copies their submissions, scores and
events (superseded, with metrics but without the parts of a board), and collects its statistics. Each public page is
rendered for a reader without an account. Rows read are those that the executed plans took from submissions, scores and
events, filtered ones included. Ends with an error if a plan reads one of these tables from end to end.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from tests.services import PostgresServer

SYSTEMS = 1000
SUBMISSIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
SLOWEST = 12


def copied(model: Any, source: str, **values: str) -> str:
    """INSERT that copies the rows of `source`, an SQL clause with the original as `o`, except for some columns."""
    columns = {
        field.column: values.get(field.column, f"o.{field.column}")
        for field in model._meta.concrete_fields
        if not (field.primary_key and field.column not in values)
    }
    names, selected = ", ".join(columns), ", ".join(columns.values())
    return f"INSERT INTO {model._meta.db_table} ({names}) SELECT {selected} FROM {source}"


def multiply(copies: int) -> None:
    """Add superseded submissions to each system, one a minute, each with a score and an event."""
    from django.db import connection, transaction

    from leaderboard.submissions import count_triggers
    from leaderboard.submissions.models import Event, Score, Submission

    count_triggers.drop(
        "default"
    )  # in one transaction each would walk over the row versions of all before it
    sent = f"leaderboard_submission o, generate_series(1, {copies}) n WHERE o.shown"
    made = "leaderboard_submission c JOIN leaderboard_submission s ON s.system_id = c.system_id AND s.shown"
    with transaction.atomic(), connection.cursor() as cursor:
        before = "n * interval '1 minute'"
        cursor.execute(
            copied(
                Submission, sent, id="gen_random_uuid()", shown="false",
                score_id="nextval(pg_get_serial_sequence('leaderboard_score', 'id'))",
                created_at=f"o.created_at - {before}", graded_at=f"o.created_at - {before}",
                note="CASE WHEN n % 10 = 0 THEN 'a note' ELSE '' END",
            )
        )  # fmt: skip
        cursor.execute("ANALYZE leaderboard_submission")
        cursor.execute(
            copied(
                Score, f"{made} JOIN leaderboard_score o ON o.id = s.score_id WHERE NOT c.shown", id="c.score_id",
                submission_id="c.id", headline="random()", cells="'[]'", cell_scores="''", unit_scores="''",
                robust_scores="''", groups="'{}'",
            )
        )  # fmt: skip
        cursor.execute(
            copied(
                Event, "leaderboard_submission c, leaderboard_event o "
                "WHERE o.id = (SELECT min(id) FROM leaderboard_event)",
                submission_id="c.id", at="c.created_at", kind="'graded'",
            )
        )  # fmt: skip
    count_triggers.create("default")
    count_triggers.recount("default")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def rows_read(statement: tuple[str, Any]) -> tuple[int, list[str]]:
    """Rows that a statement takes from the big tables, and the big tables that it reads from end to end."""
    from django.db import connection

    from tests.plans import BIG

    sql, params = statement
    if not any(f'"{table}"' in sql for table in BIG):
        return 0, []
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {sql}", params)
        (plan,) = cursor.fetchone()
    steps = list(_steps((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]))
    big = [step for step in steps if step.get("Relation Name") in BIG]
    read = sum(
        (step["Actual Rows"] + step.get("Rows Removed by Filter", 0)) * step["Actual Loops"] for step in big
    )
    whole = [f"{step['Relation Name']}: {sql[:300]}" for step in big if step["Node Type"] == "Seq Scan"]
    return round(read), whole


def _steps(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for below in node.get("Plans", []):
        yield from _steps(below)


def survey(addresses: list[str]) -> list[str]:
    """Print the slowest pages. Returns the reads of whole tables, each with its page."""
    from django.test import Client

    from tests.plans import recorded

    lines, scans = [], []
    for address in addresses:
        with recorded() as statements:
            started = time.perf_counter()
            status = Client().get(address).status_code
            took = time.perf_counter() - started
        assert status == 200, (address, status)
        read = [rows_read(statement) for statement in statements]
        scans += [f"{address} reads all of {step}" for _, steps in read for step in steps]
        lines.append((took, len(statements), sum(rows for rows, _ in read), address))
    times = sorted(took for took, *_ in lines)
    print(
        f"{len(lines)} kinds of pages: median {1000 * times[len(times) // 2]:.0f} ms, "
        f"slowest {1000 * times[-1]:.0f} ms, "
        f"most rows read {max(read for *_, read, _ in lines):,}"
    )
    for took, queries, rows, address in sorted(lines, reverse=True)[:SLOWEST]:
        print(f"  {1000 * took:7.0f} ms {queries:3} queries {rows:9,} rows read  {address}", flush=True)
    return scans


def filled() -> Any:
    """A version whose board has a thousand ranked systems, each with its share of the submissions."""
    from leaderboard.benchmarks import seeding
    from leaderboard.boards.placements import computing
    from leaderboard.runs import services as runs
    from leaderboard.submissions.models import Score, Submission
    from tests.benchmarks import board

    seeding.presets("goldevidence")
    version = seeding.frozen("goldevidence", "order-bias", tell=lambda text: None)
    run = runs.start(
        version=version, executor="latest_step", started_by=seeding.site_user(), wake_worker=False
    )
    runs.execute(str(run.pk), grade_now=True)
    real = Submission.objects.select_related("score").get(version=version)
    board.fill(version, SYSTEMS, SYSTEMS)
    Score.objects.update(
        verdicts_sha256=real.score.verdicts_sha256
    )  # pages of one submission open its verdicts
    computing.store(version)
    started = time.perf_counter()
    multiply(SUBMISSIONS // SYSTEMS - 1)
    print(f"copied by the database in {time.perf_counter() - started:.0f} s", flush=True)
    return version


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, PostgresServer() as server:
        os.environ.update(
            DATA_DIR=folder, DATABASE_URL=server.url, SECRET_KEY="of the benchmark",
            DJANGO_SETTINGS_MODULE="benchsite.settings",
        )  # fmt: skip
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connection

        from leaderboard.submissions.models import Submission
        from tests.plans import featured, public_addresses

        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        version = filled()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            size = cursor.fetchone()[0] / 1e9
        print(f"{SYSTEMS:,} systems, {Submission.objects.count():,} submissions, {size:.1f} GB of database")
        addresses = public_addresses(featured(version))
        survey(addresses[:5])  # modules and templates are loaded
        scans = survey(addresses)
        connection.close()
    sys.exit("\n".join(scans) if scans else 0)


if __name__ == "__main__":
    main()
