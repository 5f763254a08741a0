"""The engine's wheel, built from this site's source into `DATA_DIR`, served at a stable address."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from django.conf import settings

import evaluation

NAME = f"goldevidencebench-{evaluation.__version__}-py3-none-any.whl"
SOURCES = ("pyproject.toml", "README.md", "LICENSE")
FOLDERS = ("evaluation", ".ci/backend")
#: Builds with the setuptools of this environment, and fetches nothing.
PIP_WHEEL = (
    *("-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"),
    *("--no-build-isolation", "--check-build-dependencies"),
)


class BuildError(Exception):
    """The wheel could not be built. The text is the last line of pip's output."""


def path() -> Path:
    return Path(settings.DATA_DIR) / "engine" / NAME


def is_built() -> bool:
    return path().is_file()


def build() -> Path:
    """Build the wheel and remove earlier wheels. Raises BuildError."""
    folder = path().parent
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        # From a copy: builds leave folders behind, whose files would get into the next wheel.
        source, out = Path(name) / "source", Path(name) / "out"
        _copy(Path(settings.BASE_DIR), source)
        command = [sys.executable, *PIP_WHEEL, "--wheel-dir", str(out), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not (out / NAME).is_file():
            error_lines = done.stderr.strip().splitlines()
            raise BuildError(
                error_lines[-1].removeprefix("ERROR: ") if error_lines else f"pip did not create {NAME}"
            )
        os.replace(out / NAME, path())
    for earlier in folder.glob("*.whl"):
        if earlier.name != NAME:
            earlier.unlink()
    return path()


def _copy(root: Path, to: Path) -> None:
    for name in FOLDERS:
        shutil.copytree(root / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in SOURCES:
        shutil.copy(root / name, to / name)
