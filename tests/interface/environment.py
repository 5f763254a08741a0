"""The environment variables that are read: those found in the source, and those of adapter settings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("benchsite", "leaderboard", "evaluation")
NAME = re.compile(r"[A-Z][A-Z0-9_]*")
#: Calls whose first argument is the name of a variable: `env.str("DATABASE_URL")`, `os.environ.get("PORT")`, …
READERS = ("str", "int", "float", "list", "email", "bool", "boolean", "url", "json", "get", "getenv")
#: A name that is kept in a constant is known by its form.
FORM = re.compile(r"GOLDEVIDENCEBENCH_[A-Z_]*[A-Z]|[A-Z]+_API_KEY")


def words() -> set[str]:
    """The names of the variables."""
    read = {name for package in PACKAGES for name in read_by(package)}
    return read | set(_of_adapters()) | set(_of_the_reference())


def read_by(package: str) -> set[str]:
    """The names that the files of a package read."""
    files = (ROOT / package).rglob("*.py")
    return {name for path in files for name in _read_in(ast.parse(path.read_text()))}


def _read_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and FORM.fullmatch(node.value):
            yield node.value
        if isinstance(node, ast.Call) and node.args and _reads(node.func):
            first = node.args[0]
            if isinstance(first, ast.Constant) and NAME.fullmatch(str(first.value)):
                yield str(first.value)


def _reads(function: ast.expr) -> bool:
    """Whether this is `boolean`, `folder`, `env` itself, or one of the readers of `env`, `environ` or `os`."""
    if isinstance(function, ast.Name):
        return function.id in ("boolean", "folder", "networks", "env", "getenv")
    if not isinstance(function, ast.Attribute) or function.attr not in READERS:
        return False
    return ast.unparse(function.value) in ("env", "environ", "os", "os.environ")


def _of_adapters() -> Iterator[str]:
    """`GOLDEVIDENCEBENCH_` and the setting in capitals."""
    from evaluation.adapters import ADAPTERS, STATE_ADAPTERS, find_factory, settings_of
    from evaluation.adapters.environment.reference import variable_of
    from evaluation.adapters.settings import json_schema

    for adapters in (ADAPTERS, STATE_ADAPTERS):
        for name in adapters:
            settings = settings_of(find_factory(name, adapters))
            for setting in json_schema(settings)["properties"] if settings else ():
                yield variable_of(setting)


def _of_the_reference() -> Iterator[str]:
    """The reference's names that stand for settings and options of ours."""
    from evaluation.adapters.environment.reference import OF_GRID, PREFIX, SETTINGS

    yield from (PREFIX + name for name in {*SETTINGS, *OF_GRID})
