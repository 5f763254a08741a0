"""The toy suite as an installed distribution: the metadata that `pip install` would write beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from evaluation import adapters
from evaluation.adapters import kinds
from evaluation.core import suite

TOY = {"toy": "tests.toy_suite.suite:SUITE"}


def write(
    folder: Path, name: str = "toy-suite", *, version: str = "1.0", **groups: Mapping[str, str]
) -> Path:
    """The `.dist-info` of a distribution in a folder of the path: `suites` and `adapters` are its entry points."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = []
    for group, points in groups.items():
        lines += [f"[goldevidencebench.{group}]", *(f"{key} = {value}" for key, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return folder


@contextmanager
def on_path(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> Iterator[None]:
    """Install the distributions in these folders."""
    with monkeypatch.context() as patch:
        for folder in folders:
            patch.syspath_prepend(str(folder))
        reload()
        yield
    reload()


def reload() -> None:
    """Read the installed distributions again."""
    suite.reload()
    adapters.adapters_of.cache_clear()
    adapters.ADAPTERS.reload()
    adapters.STATE_ADAPTERS.reload()
    kinds.get_kind.cache_clear()
