"""The page of a version shows the figures of known systems over its preset."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from evaluation.goldevidence.experiments.anchors import reached as stored
from leaderboard.benchmarks.models import Version

HEADING = "Known systems on this preset"


def test_a_version_of_a_measured_preset_shows_them_by_part_and_crossed(
    version: Version, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    [deep] = [each for each in stored.reached() if each.preset == "deep_short"]
    known = replace(deep, settings_sha256=stored.settings_sha256(version.settings))
    monkeypatch.setattr(stored, "reached", lambda: (known,))
    page = client.get(version.get_absolute_url()).content.decode()
    assert HEADING in page
    assert '<th scope="col" class="n">8k</th>' in page
    assert '<th scope="col" class="n">8k · chain</th>' in page
    assert "SmolLM2-135M-Instruct" in page
    assert "n 40" in page
    assert "with its public seeds" in page


def test_a_version_of_other_settings_shows_none(version: Version, client: Any) -> None:
    assert HEADING not in client.get(version.get_absolute_url()).content.decode()
