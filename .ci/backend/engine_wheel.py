"""Build backend of setuptools whose wheels contain the engine as `goldevidencebench`.

In a checkout the package is called `evaluation`, a name that many projects have. For a wheel its files are
copied, the name is replaced in paths and text, and setuptools builds the copy. An editable install keeps
`evaluation` and gets `goldevidencebench` as a second name for the same modules.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - the hooks that stay as they are

ROOT = Path(__file__).resolve().parents[2]
HERE, RELEASED = "evaluation", "goldevidencebench"
SECOND_NAME, ITS_PLACE = Path(__file__).with_name("second_name.py"), f"{RELEASED}/__init__.py"
#: The name of the package in Python, entry points and commands, but not the English word.
MEMBERS = "|".join(path.parent.name for path in (ROOT / HERE).glob("*/__init__.py")) + "|__main__"
NAME = re.compile(
    rf"(?<![\w.-]){HERE}(?=\.(?:{MEMBERS}|__version__)\b)|(?<=from ){HERE}(?= import )|(?<=\bimport ){HERE}\b(?!\.)"
    rf"|(?<=-m ){HERE}\b"
)


def build_wheel(
    wheel_directory: str,
    config_settings: Mapping[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    with _renamed():
        return str(build_meta.build_wheel(os.path.abspath(wheel_directory), config_settings))


def build_editable(
    wheel_directory: str,
    config_settings: Mapping[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    name = str(build_meta.build_editable(wheel_directory, config_settings, metadata_directory))
    made = Path(wheel_directory, name)
    plain = made.rename(made.with_suffix(".plain"))
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(made, "w") as target:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename.endswith(".dist-info/RECORD"):
                content += f"{ITS_PLACE},,\n".encode()
            target.writestr(entry, content)
        target.write(SECOND_NAME, ITS_PLACE)
    plain.unlink()
    return name


@contextmanager
def _renamed() -> Iterator[None]:
    """Change into a temporary copy of the wheel's files in which the package has its released name."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        shutil.copytree(ROOT / HERE, copy / RELEASED, ignore=shutil.ignore_patterns("__pycache__"))
        for path in (copy / RELEASED).rglob("*.py"):
            path.write_text(NAME.sub(RELEASED, path.read_text("utf-8")), "utf-8")
        for file in ("README.md", "LICENSE"):
            shutil.copy(ROOT / file, copy)
        (copy / "pyproject.toml").write_text(
            re.sub(rf"\b{HERE}\b", RELEASED, (ROOT / "pyproject.toml").read_text("utf-8")), "utf-8"
        )
        os.chdir(copy)
        try:
            yield
        finally:
            os.chdir(before)
