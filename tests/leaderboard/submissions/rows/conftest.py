"""Clear remembered rows: they are found by the content of files, which tests share."""

from __future__ import annotations

import pytest

from leaderboard.submissions.rows import store


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    store._index.cache_clear()
    store._read.cache_clear()
