"""Database triggers that update the counts of submissions on any write: bulk updates, admin, database shells.

The triggers are dropped before every migration. After it, they are created again and all submissions are counted.
`manage.py count_submissions` checks the counts and recounts on request.
"""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db import connections, transaction
from django.db.models.signals import post_migrate, pre_migrate

KEYS = ("version_id", "status", "visibility", "shown", "source")
#: Columns that affect the counts of a system. Means are not counted, because they have no file.
OF_SYSTEM = ("system_id", "visibility", "created_at", "source")
_COUNTED = "visibility = 'public' AND source <> 'mean'"
_ROW_COUNTED = "{row}.visibility = 'public' AND {row}.source <> 'mean'"
COUNTS, SYSTEMS, SUBMISSIONS = (
    "leaderboard_submissioncount",
    "leaderboard_systemcounts",
    "leaderboard_submission",
)
_NAMED = ", ".join(KEYS)
_NEWEST = f"SELECT MAX(created_at) FROM {SUBMISSIONS} WHERE {_COUNTED} AND system_id ="
#: Updates a row per key, creating it if needed.
_SQLITE_COUNT = f"""INSERT INTO {COUNTS} ({_NAMED}, number)
SELECT {{new}}, 0 WHERE NOT EXISTS (SELECT 1 FROM {COUNTS} WHERE ({_NAMED}) = ({{new}}));
UPDATE {COUNTS} SET number = number + {{change}}
WHERE id = (SELECT MIN(id) FROM {COUNTS} WHERE ({_NAMED}) = ({{new}}));"""
_POSTGRESQL_COUNT = f"INSERT INTO {COUNTS} ({_NAMED}, number) VALUES ({{new}}, {{change}});"
#: The first statement locks the row, so that the second one sees earlier commits of others.
_COUNT_SYSTEM = f"""INSERT INTO {SYSTEMS} (system_id, public)
SELECT {{row}}.system_id, 0 WHERE {_ROW_COUNTED} ON CONFLICT (system_id) DO NOTHING;
UPDATE {SYSTEMS} SET public = public + {{change}} WHERE {_ROW_COUNTED} AND system_id = {{row}}.system_id;
UPDATE {SYSTEMS} SET newest = ({_NEWEST} {{row}}.system_id)
WHERE {_ROW_COUNTED} AND system_id = {{row}}.system_id;"""
_ALL_COUNTS = f"SELECT {_NAMED}, COUNT(*) FROM {SUBMISSIONS} GROUP BY {_NAMED}"
_ALL_SYSTEMS = f"""SELECT system_id, COUNT(*), MAX(created_at) FROM {SUBMISSIONS}
WHERE {_COUNTED} GROUP BY system_id"""
_STORED_COUNTS = f"SELECT {_NAMED}, SUM(number) FROM {COUNTS} GROUP BY {_NAMED} HAVING SUM(number) <> 0"
_STORED_SYSTEMS = f"SELECT system_id, public, newest FROM {SYSTEMS} WHERE public <> 0"
#: Queries for the names of existing triggers.
_TRIGGERS = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'submission_counts_*'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE tgname LIKE 'submission\\_counts\\_%'",
}
EVENTS = {"insert": ["NEW"], "delete": ["OLD"], "update": ["OLD", "NEW"]}
CHANGE = {"OLD": "- 1", "NEW": "+ 1"}


def connect() -> None:
    """Connect the signals that drop the triggers before a migration, and create them again after it."""
    pre_migrate.connect(_before_migration, dispatch_uid="submission counts")
    post_migrate.connect(_after_migration, dispatch_uid="submission counts")


def _before_migration(*, app_config: AppConfig, using: str, **_: Any) -> None:
    if app_config.label == "leaderboard":
        drop(using)


def _after_migration(*, app_config: AppConfig, using: str, **_: Any) -> None:
    # Migrating back to an older state may have removed the table.
    if app_config.label == "leaderboard" and COUNTS in connections[using].introspection.table_names():
        create(using)
        recount(using)


def drop(using: str) -> None:
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute(_TRIGGERS[connection.vendor])
        on_table = f" ON {SUBMISSIONS}" if connection.vendor == "postgresql" else ""
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP TRIGGER {name}{on_table}")


def create(using: str) -> None:
    drop(using)
    connection = connections[using]
    form = _postgresql if connection.vendor == "postgresql" else _sqlite
    with connection.cursor() as cursor:
        for event, rows in EVENTS.items():
            for kind, columns in (("all", KEYS), ("system", OF_SYSTEM)):
                for statement in form(event, kind, columns, rows):
                    cursor.execute(statement)


def _body(kind: str, rows: list[str], count: str) -> str:
    if kind == "system":
        return "\n".join(_COUNT_SYSTEM.format(row=row, change=CHANGE[row]) for row in rows)
    named = {row: ", ".join(f"{row}.{key}" for key in KEYS) for row in rows}
    return "\n".join(count.format(new=named[row], change=CHANGE[row]) for row in rows)


def _when(event: str, columns: tuple[str, ...], differs: str) -> tuple[str, str]:
    if event != "update":
        return event.upper(), ""
    changed = " OR ".join(f"OLD.{column} {differs} NEW.{column}" for column in columns)
    return f"UPDATE OF {', '.join(columns)}", f"WHEN ({changed})"


def _sqlite(event: str, kind: str, columns: tuple[str, ...], rows: list[str]) -> list[str]:
    written, when = _when(event, columns, "IS NOT")
    head = f"CREATE TRIGGER submission_counts_{kind}_{event} AFTER {written} ON {SUBMISSIONS} FOR EACH ROW {when}"
    return [f"{head} BEGIN {_body(kind, rows, _SQLITE_COUNT)} END"]


def _postgresql(event: str, kind: str, columns: tuple[str, ...], rows: list[str]) -> list[str]:
    written, when = _when(event, columns, "IS DISTINCT FROM")
    name = f"submission_counts_{kind}_{event}"
    body = _body(kind, rows, _POSTGRESQL_COUNT)
    return [
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} RETURN NULL; END $$",
        f"CREATE TRIGGER {name} AFTER {written} ON {SUBMISSIONS} FOR EACH ROW {when} EXECUTE FUNCTION {name}()",
    ]


def wrong(using: str) -> int:
    """Return how many stored counts differ from a count of all submissions."""
    with connections[using].cursor() as cursor:
        differences = 0
        for true, stored in ((_ALL_COUNTS, _STORED_COUNTS), (_ALL_SYSTEMS, _STORED_SYSTEMS)):
            rows = []
            for statement in (true, stored):
                cursor.execute(statement)
                rows.append({tuple(map(str, row)) for row in cursor.fetchall()})
            differences += len(rows[0] ^ rows[1])
    return differences


def recount(using: str) -> None:
    """Count all submissions, and replace the stored counts. On PostgreSQL, writes of submissions wait meanwhile."""
    connection = connections[using]
    with transaction.atomic(using=using), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"LOCK TABLE {SUBMISSIONS} IN SHARE MODE")
        cursor.execute(f"DELETE FROM {COUNTS}")
        cursor.execute(f"INSERT INTO {COUNTS} ({_NAMED}, number) {_ALL_COUNTS}")
        cursor.execute(f"DELETE FROM {SYSTEMS}")
        cursor.execute(f"INSERT INTO {SYSTEMS} (system_id, public, newest) {_ALL_SYSTEMS}")
