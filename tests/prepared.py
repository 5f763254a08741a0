"""Test data that takes seconds to make and is always the same: kept in build/prepared, named by its sources."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.services import ROOT

FOLDER = ROOT / "build/prepared"


@cache
def place(name: str, *sources: str) -> Path:
    """The path under which something is kept, whether it was made or not.

    Args:
        name: Name of the file or folder.
        sources: Patterns of the files that it is made of, besides the installed packages.
    """
    digest = hashlib.sha256()
    for pattern in (".ci/test.lock", *sources):
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file():
                digest.update(path.read_bytes())
    return FOLDER / f"{digest.hexdigest()[:16]}-{name}"


def keep(made: Path, where: Path) -> None:
    """Keep a copy, and delete older ones. Another process may do the same at this moment.

    Args:
        made: A file or a folder.
        where: A path from `place`.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in set(FOLDER.glob(f"*-{where.name.partition('-')[2]}")) - {where}:
        with suppress(OSError):
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    part = Path(tempfile.mkdtemp(dir=FOLDER)) / "part"
    copy(made, part)
    with suppress(OSError):  # a folder that is there already
        os.replace(part, where)
    shutil.rmtree(part.parent)


def copy(source: Path, target: Path) -> None:
    """Copy a file or a folder to another path."""
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)
