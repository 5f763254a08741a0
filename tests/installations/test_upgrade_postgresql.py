"""The same installation on PostgreSQL: its database migrates, and shows the same as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.installations import postgresql
from tests.installations.changed_on_purpose import AT_ONCE, ONCE_COMPUTED
from tests.installations.comparing import differences, unexcused
from tests.installations.kept import COMMITS, Kept, Upgraded
from tests.services import postgres

pytestmark = [pytest.mark.worker, pytest.mark.postgres, pytest.mark.xdist_group("upgrade")]


@pytest.mark.parametrize("commit", COMMITS)
def test_an_old_database_in_postgresql_migrates_and_shows_what_it_showed(commit: str, tmp_path: Path) -> None:
    kept = Kept(commit)
    kept.unpack(tmp_path)
    with postgres(empty=True) as url:
        site = kept.site(tmp_path, database_url=url)
        postgresql.load(site, url, tmp_path / "site.sqlite3")
        with site:
            site.manage("compute_placements")  # ranks are kept by how a database writes the times of scores
            site.start_web()
            upgraded = Upgraded(kept, site)
            result = list(differences(upgraded.recorded(settled=False), upgraded.read()))
    assert unexcused(result, AT_ONCE[commit] | ONCE_COMPUTED[commit]) == []
