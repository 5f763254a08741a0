"""The site's own files and accounts, as the leaderboard's tests have them."""

from __future__ import annotations

from tests.leaderboard.conftest import make_version, own_files, user, version

__all__ = ["make_version", "own_files", "user", "version"]
