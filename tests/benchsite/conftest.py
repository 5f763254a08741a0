"""The site's own files and accounts, as the leaderboard's tests have them."""

from __future__ import annotations

from tests.leaderboard.conftest import own_files, user

__all__ = ["own_files", "user"]
