"""How the database answers public pages: which statements read a whole table of submissions or scores."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from django.test import Client

#: The tables that grow with every file that is sent.
BIG = ("leaderboard_submission", "leaderboard_score", "leaderboard_event")
Statement = tuple[str, Any]


def public_addresses(submission: Any) -> list[str]:
    """Every kind of page, list, feed, badge and export for readers without a session.

    Args:
        submission: A public submission on the board of its version, with its system, owner, version and benchmark.
    """
    version, system = submission.version, submission.system
    named = f"{version.benchmark.slug}/{version.slug}"
    board, page, own = f"/boards/{named}/", f"/versions/{named}/", system.get_absolute_url()
    owner, sent = system.owner.get_username(), submission.get_absolute_url()
    history = "/history/"
    return [
        "/", "/boards/",
        board, f"{board}?q=system&verified=on", f"{board}?kind=llm", f"{board}?sort=-value", f"{board}?page=2",
        f"{board}export.csv", f"{board}export.json", f"{board}export.parquet",
        f"{board}figures/", f"{board}figures/?q=system", f"{board}figures/cost.json", f"{board}figures/failures.json",
        "/versions/", page, f"{page}changes/", f"{page}cite.bib", f"{page}feed.atom", "/feed.atom",
        "/systems/", "/systems/?page=3", "/systems/?page=100000", "/systems/?sort=name",
        "/systems/?sort=-submissions_count",
        own, f"{own}badge.svg", f"{own}badge.svg?version={named}",
        history, f"{history}?page=3", f"{history}?page=100000", f"{history}?sort=created_at",
        f"{history}?sort=-headline",
        f"{history}?status=graded", f"{history}?status=failed", f"{history}?version={named}",
        f"{history}?account={owner}",
        f"{history}?system={owner}/{system.slug}", f"{history}?version={named}&status=graded&sort=headline",
        f"{history}?q={system.name}",
        "/search/", f"/search/?q={system.name}", "/search/?q=nothing-4", "/search/?q=interval",
        sent, f"{sent}status/", f"{sent}cite.bib", "/compare/", f"/compare/?version={named}&q={system.name}",
        "/conformance/", "/docs/", "/docs/anchors/", "/docs/glossary/", "/about/", "/docs/api/",
        "/card.png", f"{board}card.png", f"{page}card.png", f"{own}card.png", f"{own}card.png?version={named}",
        f"{sent}card.png", "/robots.txt",
        # Not the parts of the site map: each of them lists up to 50,000 pages.
        "/sitemap.xml", "/sitemap-pages.xml", "/sitemap-boards.xml", "/sitemap-versions.xml",
        "/api/v1/versions", f"/api/v1/versions/{named}", "/api/v1/benchmarks",
        f"/api/v1/leaderboard/{named}", "/api/v1/systems", "/api/v1/systems?q=system",
        f"/api/v1/systems/{owner}/{system.slug}", "/api/v1/submissions", f"/api/v1/submissions?version={named}",
        f"/api/v1/submissions?system={owner}/{system.slug}", "/api/v1/submissions?status=graded",
        f"/api/v1/submissions/{submission.pk}", f"/api/v1/submissions/{submission.pk}/events",
    ]  # fmt: skip


@contextmanager
def recorded() -> Iterator[list[Statement]]:
    """The SELECTs of the block with their parameters, in order."""
    statements: list[Statement] = []

    def record(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip().upper().startswith("SELECT"):
            statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(record):
        yield statements


def scans(statement: Statement) -> list[str]:
    """The steps of a statement's plan that read a big table from end to end."""
    sql, params = statement
    if not any(f'"{table}"' in sql for table in BIG):
        return []
    return _on_postgresql(sql, params) if connection.vendor == "postgresql" else _on_sqlite(sql, params)


def _on_sqlite(sql: str, params: Any) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
        steps = [row[3] for row in cursor.fetchall()]
    sorts = any("TEMP B-TREE FOR" in step and "ORDER BY" in step for step in steps)
    walks = " LIMIT " in sql and not sorts  # it stops at the page's end
    return [
        step
        for step in steps
        if step.startswith("SCAN") and step.split()[1] in BIG and not (walks and " USING " in step)
    ]


def _on_postgresql(sql: str, params: Any) -> list[str]:
    """Whole reads in PostgreSQL's plan for a large table: small tables are planned so here, by index and row by row."""
    with transaction.atomic(), connection.cursor() as cursor:
        for way in ("seqscan", "mergejoin", "hashjoin"):
            cursor.execute(f"SET LOCAL enable_{way} = off")
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
        plan = cursor.fetchone()[0]
    plan = json.loads(plan) if isinstance(plan, str) else plan
    return list(_whole_reads(plan[0]["Plan"], limited=False))


def _whole_reads(node: dict[str, Any], *, limited: bool) -> Iterator[str]:
    """Steps without a condition. Below a limit, a walk along an index does not count, unless something sorts first."""
    kind, table = node["Node Type"], node.get("Relation Name")
    unbound = kind == "Seq Scan" or (kind in {"Index Scan", "Index Only Scan"} and "Index Cond" not in node)
    if table in BIG and unbound and not (limited and kind != "Seq Scan"):
        yield f"{kind} on {table} using {node.get('Index Name', 'nothing')}"
    if kind in {"Sort", "Aggregate", "Hash", "Materialize"}:
        limited = False
    for below in node.get("Plans", []):
        yield from _whole_reads(below, limited=limited or kind == "Limit")


def survey(addresses: list[str]) -> dict[str, dict[str, Any]]:
    """Ask for each address once, as a reader without a session.

    Args:
        addresses: Paths with their queries.

    Returns:
        For each: its `status`, how many `queries` it takes and the `scans` among them, each with its statement.
    """
    results: dict[str, dict[str, Any]] = {}
    for address in addresses:
        with recorded() as statements:
            status = Client().get(address).status_code
        steps = [(step, sql) for sql, params in statements for step in scans((sql, params))]
        results[address] = {"status": status, "queries": len(statements), "scans": steps}
    return results


def plans_of(addresses: list[str]) -> dict[str, dict[str, Any]]:
    """`survey`, but with the steps alone, without their statements."""
    pages = survey(addresses)
    return {address: page | {"scans": [step for step, _ in page["scans"]]} for address, page in pages.items()}


def crowd(version: Any, submissions: int, *, owner: str = "crowd", systems: int = 60) -> None:
    """Make submissions with scores; the first of each system is on the board.

    Args:
        version: The version of all of them.
        submissions: Number of submissions.
        owner: Name of their account.
        systems: Number of systems; 0: they all belong to one that is on no board.
    """
    from django.contrib.auth import get_user_model

    from leaderboard.submissions.models import Event, Score, Submission, System

    user = get_user_model().objects.create_user(owner)
    made = System.objects.bulk_create(
        System(owner=user, name=f"{owner} system {n}", slug=f"system-{n}") for n in range(systems or 1)
    )
    sent = Submission.objects.bulk_create(
        Submission(
            version=version, system=made[n % len(made)], submitter=user, status="graded", shown=n < systems,
            file_sha256="0" * 64, graded_at=version.frozen_at, note="a note" if n % 10 == 0 else "",
        )
        for n in range(submissions)
    )  # fmt: skip
    units = b"\x00\x00\x80?" * 2 * version.unit_count
    scores = Score.objects.bulk_create(
        Score(
            submission=each, grader=version.present_grader, headline=n / submissions, unit_scores=units,
            metrics={"value_acc": n / submissions},
        )
        for n, each in enumerate(sent)
    )  # fmt: skip
    for each, score in zip(sent, scores, strict=True):
        each.score = score
    Submission.objects.bulk_update(sent, ["score"], batch_size=500)
    Event.objects.bulk_create(Event(submission=each, kind="graded", actor=user) for each in sent)


def featured(version: Any) -> Any:
    """A submission of the crowd that is on the board, with its names."""
    from leaderboard.submissions.models import Submission

    return Submission.objects.with_names().filter(version=version, shown=True).first()
