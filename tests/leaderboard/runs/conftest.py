"""Folders of the tests of runs and of the gym."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluation.gym import Frozen
from leaderboard.runs.gym import services as gym


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    """An empty models folder."""
    settings.MODELS_DIR = tmp_path / "models"
    settings.MODELS_DIR.mkdir()
    return settings.MODELS_DIR


@pytest.fixture
def gym_folders(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """New folders for a gym loop, which reads no preset: reading all takes seconds."""
    settings.MODELS_DIR, settings.DATA_DIR = tmp_path / "models", tmp_path / "data"
    monkeypatch.setattr(gym, "frozen_presets", lambda *_: Frozen())
