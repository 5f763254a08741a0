"""Loads a kept installation's database into PostgreSQL, as the old code would have left it there."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from psycopg import sql

from tests.live import LiveSite

#: Migrates to where the old database stood: `app name`, a line each. The squashed migration takes the place of its
#: originals in an empty database, and these alone stop on the way.
MIGRATE_TO = """
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader
load = MigrationLoader.load_disk
def load_originals(self):
    load(self)
    found = self.disk_migrations.items()
    self.disk_migrations = {{key: each for key, each in found if key[0] != "leaderboard" or not each.replaces}}
MigrationLoader.load_disk = load_originals
for app, name in {applied!r}:
    call_command("migrate", app, name, verbosity=0)
"""
Columns = dict[str, str]


def load(site: LiveSite, url: str, source: Path) -> None:
    """Make the tables by the migrations of the old database, and fill them with its rows."""
    with closing(sqlite3.connect(source)) as old, psycopg.connect(url) as new:
        site.shell(MIGRATE_TO.format(applied=_applied(old)))
        tables = _tables(new)
        names = sql.SQL(", ").join(map(sql.Identifier, tables))
        new.execute(sql.SQL("TRUNCATE {} CASCADE").format(names))  # what the migrations themselves put there
        new.execute("SET TIME ZONE 'UTC'")  # SQLite keeps times without a zone
        _have_triggers(new, tables, "DISABLE")  # what they keep up is among the rows
        for table, columns in tables.items():
            _copy(old, new, table, columns)
        new.execute("SET CONSTRAINTS ALL IMMEDIATE")
        _have_triggers(new, tables, "ENABLE")
        for table, columns in tables.items():
            _continue_ids(new, table, columns)


def _applied(old: sqlite3.Connection) -> list[tuple[str, str]]:
    """The last migration of each app."""
    last = "select app, name from django_migrations where id in (select max(id) from django_migrations group by app)"
    return [(app, name) for app, name in old.execute(last)]


def _tables(new: psycopg.Connection[Any]) -> dict[str, Columns]:
    """Table -> column -> type, of all but the list of migrations."""
    collected: dict[str, Columns] = {}
    rows = new.execute(
        "select table_name, column_name, data_type from information_schema.columns "
        "where table_schema = 'public' and table_name <> 'django_migrations'"
    )
    for table, column, kind in rows:
        collected.setdefault(table, {})[column] = kind
    return collected


def _have_triggers(new: psycopg.Connection[Any], tables: Iterable[str], word: LiteralString) -> None:
    """DISABLE or ENABLE the triggers of migrations; those of foreign keys stay as they are."""
    for table in tables:
        new.execute(sql.SQL("ALTER TABLE {} " + word + " TRIGGER USER").format(sql.Identifier(table)))


def _copy(old: sqlite3.Connection, new: psycopg.Connection[Any], table: str, columns: Columns) -> None:
    """Copy all rows of a table. Foreign keys are checked when all tables are filled."""
    names = list(columns)
    listed = ", ".join(f'"{name}"' for name in names)
    rows = [
        [
            bool(value) if columns[name] == "boolean" and value is not None else value
            for name, value in zip(names, row, strict=True)
        ]
        for row in old.execute(f'select {listed} from "{table}"')
    ]
    insert = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
        sql.Identifier(table),
        sql.SQL(", ").join(map(sql.Identifier, names)),
        sql.SQL(", ").join(sql.Placeholder() * len(names)),
    )
    new.cursor().executemany(insert, rows)


def _continue_ids(new: psycopg.Connection[Any], table: str, columns: Columns) -> None:
    """Let the next row get the next number."""
    if columns.get("id") in ("integer", "bigint"):
        new.execute(
            sql.SQL("select setval(pg_get_serial_sequence({}, 'id'), max(id)) from {}").format(
                sql.Literal(f'"{table}"'), sql.Identifier(table)
            )
        )
