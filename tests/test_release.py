"""The same version number in every place."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

from evaluation import __version__
from leaderboard.api import api

ROOT = Path(__file__).parent.parent


def test_the_installed_package_and_the_api_say_the_version_of_the_source() -> None:
    """If the first differs, the checkout was installed before the version was raised: `make .venv/site.stamp`."""
    assert metadata.version("goldevidencebench") == __version__
    assert api.version == __version__


def test_the_package_is_not_told_its_version_a_second_time() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"] == {"version": {"attr": "evaluation.__version__"}}


def test_the_changelog_begins_with_this_version() -> None:
    first = re.search(r"^## (\S+) \(.+\)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert first
    assert first[1] == __version__
