"""The wheel of the engine: built from this site's own source without a network, and served at a stable address.

Its name holds the engine's version, as pip asks for. It lies in `DATA_DIR`; a site whose folder has none says how to
install the engine from a checkout.
"""

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
#: pip's own build, with the setuptools of this environment: it fetches nothing.
PIP_WHEEL = (
    *("-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"),
    *("--no-build-isolation", "--check-build-dependencies"),
)


class BuildError(Exception):
    """The wheel could not be built. The text is the last output of pip."""


def path() -> Path:
    """Where the wheel of this version lies once it is built."""
    return Path(settings.DATA_DIR) / "engine" / NAME


def is_built() -> bool:
    return path().is_file()


def build() -> Path:
    """Build the wheel and replace every earlier one with it.

    It is built from a copy: a build leaves folders behind, and what an earlier one left would get into this one.
    Raises BuildError.
    """
    folder = path().parent
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        source, out = Path(name) / "source", Path(name) / "out"
        _copy(Path(settings.BASE_DIR), source)
        command = [sys.executable, *PIP_WHEEL, "--wheel-dir", str(out), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not (out / NAME).is_file():
            error_lines = done.stderr.strip().splitlines()
            raise BuildError(
                error_lines[-1].removeprefix("ERROR: ") if error_lines else f"pip made no {NAME}"
            )
        os.replace(out / NAME, path())
    for earlier in folder.glob("*.whl"):
        if earlier.name != NAME:
            earlier.unlink()
    return path()


def _copy(root: Path, to: Path) -> None:
    shutil.copytree(root / "evaluation", to / "evaluation", ignore=shutil.ignore_patterns("__pycache__"))
    for name in SOURCES:
        shutil.copy(root / name, to / name)
