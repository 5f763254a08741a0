"""A small shipped run: made by the real maker, of the tiny model over a version of a few rows."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leaderboard.benchmarks import freezing
from leaderboard.benchmarks.models import Version
from leaderboard.runs.shipped import SYSTEMS, making
from leaderboard.runs.shipped.making import Job
from tests.leaderboard.runs.gguf import tiny_model

BY_SLUG = {system.slug: system for system in SYSTEMS}


@pytest.fixture(scope="session")
def made_before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Complete runs of other tests: always the same, so that a process makes each of them once."""
    return tmp_path_factory.mktemp("made")


@pytest.fixture
def ship(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, made_before: Path) -> Callable[..., Path]:
    """Make a run over a version that stands for one of the demo; the folder of all runs.

    A run with options of its own is not reused.
    """
    model = tiny_model(tmp_path / "models")
    root = tmp_path / "shipped"

    def make(version: Version, slug: str = "smollm2-135m-q4-0-select-ruled", **more: Any) -> Path:
        assert version.preset is not None
        monkeypatch.setattr(freezing, "rehearse", lambda suite, preset, *, store: version)
        job = Job(BY_SLUG[slug], version.benchmark.suite, version.preset.name)
        options: dict[str, Any] = {"tell": lambda line: None, "should_stop": lambda: False}
        kept = made_before / version.sha256 / slug
        if not more and not root.exists() and kept.exists():
            return Path(shutil.copytree(kept, root))
        making.make(job, root, model, **options | more)
        if not more:
            shutil.copytree(root, kept, dirs_exist_ok=True)
        return root

    return make
