"""Dump and restore the whole database, with pg_dump and psql or SQLite's online backup."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

#: Connection alias of the snapshot that was dumped.
_DUMPED = "dumped"
FILES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
_DROP_ALL = """DO $$ DECLARE each record; BEGIN
FOR each IN SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = current_schema()
LOOP EXECUTE 'DROP TABLE ' || each.name || ' CASCADE'; END LOOP;
FOR each IN SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
LOOP EXECUTE 'DROP FUNCTION ' || each.name || ' CASCADE'; END LOOP; END $$"""


class DumpError(Exception):
    """The database could not be dumped or restored; the text says why."""


@contextmanager
def dumped(path: Path) -> Iterator[str]:
    """Dump the database, also while in use. Yields the alias of a connection to the dumped data. Raises DumpError."""
    if connection.vendor == "sqlite":
        _copy_sqlite(_sqlite_path(), path, journal="DELETE")
        settings = {**connection.settings_dict, "NAME": path, "OPTIONS": {}}
    else:
        settings = {**connection.settings_dict}
    connections.settings[_DUMPED] = settings
    try:
        with transaction.atomic(using=_DUMPED):
            if connection.vendor == "postgresql":
                _dump_postgresql(connections[_DUMPED], path)
            yield _DUMPED
    finally:
        connections[_DUMPED].close()
        del connections[_DUMPED], connections.settings[_DUMPED]


def restore(path: Path) -> None:
    """Replace the database by a dump of the same kind; nothing changes on an error. Raises DumpError."""
    connection.close()
    if connection.vendor == "sqlite":
        _copy_sqlite(path, _sqlite_path())
        return
    with tempfile.NamedTemporaryFile(suffix=".sql") as script:
        _run(["pg_restore", "--no-owner", "--no-privileges", f"--file={script.name}", str(path)])
        options = ["-X", "-q", "-1", "-v", "ON_ERROR_STOP=1", "-c", _DROP_ALL, "-f", script.name]
        _run_client("psql", options)


def row_counts(using: str = "default") -> dict[str, int]:
    """Number of rows of each table, by the table's name."""
    introspection, ops = connections[using].introspection, connections[using].ops
    counts = {}
    with connections[using].cursor() as cursor:
        for table in sorted(introspection.table_names(cursor)):
            cursor.execute(f"SELECT COUNT(*) FROM {ops.quote_name(table)}")
            counts[table] = int(cursor.fetchone()[0])
    return counts


def migrations(using: str = "default") -> list[str]:
    """Applied migrations, as `app.name`."""
    return sorted(".".join(key) for key in MigrationRecorder(connections[using]).applied_migrations())


def _sqlite_path() -> Path:
    return Path(connection.settings_dict["NAME"])


def _copy_sqlite(source: Path, target: Path, *, journal: str = "WAL") -> None:
    """Copy a database in one step, even if it is in use. With `journal` DELETE the copy is a single file."""
    try:
        with (
            closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as original,
            closing(sqlite3.connect(target, timeout=20)) as copy,
        ):
            original.backup(copy)
            copy.execute(f"PRAGMA journal_mode={journal}")
    except sqlite3.Error as error:
        raise DumpError(f"{source} was not copied to {target}: {error}.") from error


def _dump_postgresql(snapshot: BaseDatabaseWrapper, path: Path) -> None:
    with snapshot.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT pg_export_snapshot()")
        seen = cursor.fetchone()[0]
    options = ["--format=custom", "--no-owner", "--no-privileges", f"--snapshot={seen}", f"--file={path}"]
    _run_client("pg_dump", options)


def _run_client(program: str, options: list[str]) -> None:
    # The password goes through the environment: other users can read the arguments of a process.
    from django.db.backends.postgresql.client import DatabaseClient  # needs psycopg

    words, variables = DatabaseClient.settings_to_cmd_args_env(connection.settings_dict, options)
    _run([program, *words[1:]], variables or {})


def _run(words: list[str], variables: dict[str, str] | None = None) -> None:
    try:
        subprocess.run(
            words, env={**os.environ, **(variables or {})}, capture_output=True, text=True, check=True
        )
    except FileNotFoundError as error:
        raise DumpError(
            f"{words[0]} is not installed here. Install the PostgreSQL client of the server's release."
        ) from error
    except subprocess.CalledProcessError as error:
        raise DumpError(f"{words[0]} failed: {error.stderr.strip()}") from error
