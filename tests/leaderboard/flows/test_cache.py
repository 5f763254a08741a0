"""The folder cache keeps the places of many boards: Django's own limit would delete some at random."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.cache.backends.filebased import FileBasedCache

from benchsite import settings as site

#: More than Django's limit of 300, and few enough to be quick.
BOARDS = [f"places:{version}:{choice}" for version in range(100) for choice in range(5)]


@pytest.mark.skipif("OPTIONS" not in site.CACHES["results"], reason="CACHE_URL names another cache")
def test_a_hundred_versions_under_several_filters_stay_in_the_cache(tmp_path: Path) -> None:
    cache = FileBasedCache(str(tmp_path), {"OPTIONS": site.CACHES["results"]["OPTIONS"]})
    for key in BOARDS:
        cache.set(key, key, 60)
    assert [key for key in BOARDS if cache.get(key) != key] == []
