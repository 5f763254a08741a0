"""Fixtures of the leaderboard's tests for accounts and files."""

from __future__ import annotations

from tests.leaderboard.conftest import make_version, own_files, user, version

__all__ = ["make_version", "own_files", "user", "version"]
