"""Copy an installation out of its data folder, and record what it shows."""

from __future__ import annotations

import json
import re
import shutil
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from reading import COLUMNS

#: Replaces the name of the machine that made it.
HOST = "worker.example"
#: Versions that another code freezes in another way, from the same settings.
NEW_ROWS = ("goldevidencebench/waiting", "statebench/halfway")


def messages(folder: Path) -> list[Path]:
    """The messages waiting in the broker's folder."""
    return sorted((folder / "broker" / "queue").glob("*.msg"))


def task_of(message: Path) -> tuple[str, str]:
    """A message's id, and the name of its task without the module."""
    headers = json.loads(message.read_text())["headers"]
    return headers["id"], headers["task"].rpartition(".")[2]


def copy(folder: Path, out: Path, cast: dict[str, Any]) -> None:
    """Copy the files of an installation, without logs, caches and static files."""
    cast["messages"] = dict(map(task_of, messages(folder)))
    for name in ("artifacts", "runs", "models"):
        shutil.copytree(folder / name, out / name)
    (out / "broker" / "queue").mkdir(parents=True)
    for path in messages(folder):
        (out / "broker" / "queue" / path.name).write_text(_anonymous(path.read_text()))
    with closing(sqlite3.connect(folder / "site.sqlite3", timeout=20)) as database:
        (out / "site.sql").write_text(_anonymous("\n".join(database.iterdump()) + "\n"))
    (out / "cast.json").write_text(json.dumps(cast, indent=1, ensure_ascii=False) + "\n")


def write_figures(path: Path, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Write both records, the second only where it differs; one thing per line, so that readers find it."""
    changed = {section: _changed(before[section], item) for section, item in after.items()}
    for name in changed["conformance"].keys() - before["conformance"].keys():
        del changed["conformance"][name]  # another release has other vectors
    for times in changed["times"].values():  # the work that is still to be done ends later elsewhere
        del times["graded_at"]
    for name in NEW_ROWS:
        for section in ("boards", "ranks", "exports", "comparisons"):
            del changed[section][name]
        changed["versions"][name] = {"status": changed["versions"][name]["status"]}
    moments = {"before": before, "after": changed}
    texts = {name: _object(_each(_section, record)) for name, record in moments.items()}
    path.write_text(f"{_object(texts)}\n")


def _changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The differences; of a table, the lines that differ."""
    result = {key: value for key, value in after.items() if before.get(key) != value}
    for key, value in result.items():
        if isinstance(before.get(key), dict) and COLUMNS in value:
            result[key] = {name: one for name, one in value.items() if before[key].get(name) != one}
    return result


def _each(function: Callable[[Any], str], record: dict[str, Any]) -> dict[str, str]:
    return {key: function(value) for key, value in record.items()}


def _section(section: dict[str, Any]) -> str:
    return _object(_each(_compact, dict(sorted(section.items()))))


def _object(texts: dict[str, str]) -> str:
    """A JSON object with a line for each of its values, which are JSON already."""
    lines = ",\n".join(f"{json.dumps(key, ensure_ascii=False)}: {text}" for key, text in texts.items())
    return f"{{\n{lines}\n}}"


def _compact(value: Any) -> str:
    return _anonymous(json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")))


def _anonymous(text: str) -> str:
    """The text without the machine's name, alone or behind an @."""
    return re.sub(rf"(?<=[ '@]){re.escape(socket.gethostname())}(?=['\"])", HOST, text)
