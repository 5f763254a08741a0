"""Database triggers that mark every write to public content: bulk updates, the admin and a database shell alike.

They are dropped before every migration and created after it: a column that a trigger names cannot be dropped, and
SQLite drops triggers with each table that it rebuilds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

from django.apps import AppConfig, apps
from django.conf import settings
from django.db import connections, models
from django.db.models.signals import post_migrate, pre_migrate

#: Models of this app that no public page reads.
UNSEEN = frozenset(
    {"apitoken", "checkslot", "contentchange", "nameclaim", "renderedpage", "runevent", "staffact"}
)
#: A deleted account changes boards only through its name, which is marked.
UNSEEN |= {"deletedaccount"}
#: Notifications, which no public page shows.
UNSEEN |= {"delivery", "follow", "mail", "notice", "noticesettings", "webhook"}
#: Schedules of workers.
UNSEEN |= {"delayedtask", "periodicwork"}
#: Benches are visible only to accounts that may see runs.
UNSEEN |= {"bench", "benchevent"}
#: Workers write these every few seconds.
UNSEEN |= {"modelholder"}
#: Hashes of answers; pages only read the table of matches.
UNSEEN |= {"answerprint"}
#: Written by other triggers, along with rows that are marked already.
UNSEEN |= {"submissioncount", "systemcounts"}
#: Columns that jobs write many times a minute, or that a sign-in writes; no public page shows them.
UNSEEN_COLUMNS = frozenset(
    {
        "attempts",
        "faults",
        "files_copy",
        "last_login",
        "lease_holder",
        "lease_token",
        "lease_until",
        "next_attempt_at",
        "password",
        "progress_done",
        "progress_total",
        "rate",
    }
)
_NAME = "ready_pages_{table}_{event}"
_SQLITE_MARK = """INSERT INTO leaderboard_contentchange (id, token) VALUES (1, lower(hex(randomblob(16))))
ON CONFLICT (id) DO UPDATE SET token = excluded.token"""
_SQLITE = f"CREATE TRIGGER {{name}} AFTER {{when}} ON {{table}} BEGIN {_SQLITE_MARK}; END"
_POSTGRESQL_MARK = "INSERT INTO leaderboard_contentchange (token) VALUES ('')"
_FUNCTION = f"""CREATE OR REPLACE FUNCTION ready_pages_mark() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
{_POSTGRESQL_MARK}; RETURN NULL; END $$"""
_POSTGRESQL = (
    "CREATE TRIGGER {name} AFTER {when} ON {table} FOR EACH STATEMENT EXECUTE FUNCTION ready_pages_mark()"
)
#: Queries for (name, table) of the existing triggers.
_TRIGGERS = {
    "sqlite": "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'ready_pages_*'",
    "postgresql": "SELECT tgname, tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE 'ready\\_pages\\_%'",
}


def connect() -> None:
    """Drop the triggers before each migration, and create them after it."""
    pre_migrate.connect(_before_migration, dispatch_uid="ready pages")
    post_migrate.connect(_after_migration, dispatch_uid="ready pages")


def _before_migration(*, app_config: AppConfig, using: str, **_: Any) -> None:
    if app_config.label == "leaderboard":
        drop(using)


def _after_migration(*, app_config: AppConfig, using: str, **_: Any) -> None:
    """Create the triggers, unless a migration to an older state removed the table of marks."""
    if app_config.label != "leaderboard":
        return
    if "leaderboard_contentchange" in connections[using].introspection.table_names():
        create(using)


def create(using: str) -> None:
    """Create all triggers, and a mark for writes made before they existed. `using` is the alias of the database."""
    drop(using)
    connection = connections[using]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_FUNCTION)
        introspection = connection.introspection
        tables = set(introspection.table_names(cursor))
        columns = {
            table: {each.name for each in introspection.get_table_description(cursor, table)}
            for table in {model._meta.db_table for model in _seen()} & tables
        }
        for statement in _statements(connection.vendor, columns):
            cursor.execute(statement)
        cursor.execute(_POSTGRESQL_MARK if connection.vendor == "postgresql" else _SQLITE_MARK)


def drop(using: str) -> None:
    """Drop all triggers, including triggers of earlier releases."""
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute(_TRIGGERS[connection.vendor])
        for name, table in cursor.fetchall():
            cursor.execute(
                f"DROP TRIGGER {name}" + (f" ON {table}" if connection.vendor == "postgresql" else "")
            )


def _statements(vendor: str, there: Mapping[str, Set[str]]) -> Iterator[str]:
    """Yield the SQL of the triggers. `there` has the existing columns by table; older database states lack some."""
    form = _POSTGRESQL if vendor == "postgresql" else _SQLITE
    for model in _seen():
        table = model._meta.db_table
        if table not in there:
            continue
        seen = [field.column for field in model._meta.concrete_fields if field.name not in UNSEEN_COLUMNS]
        columns = [column for column in seen if column in there[table]]
        named = ", ".join(f'"{column}"' for column in columns)
        for event, when in (("insert", "INSERT"), ("update", f"UPDATE OF {named}"), ("delete", "DELETE")):
            name = _NAME.format(table=table, event=event)
            yield form.format(name=name, table=table, when=when)


def _seen() -> list[type[models.Model]]:
    """The models whose rows public pages show, including the user model."""
    all_ours = apps.get_app_config("leaderboard").get_models()
    ours = [model for model in all_ours if model._meta.managed and model._meta.model_name not in UNSEEN]
    return [*ours, apps.get_model(settings.AUTH_USER_MODEL)]
