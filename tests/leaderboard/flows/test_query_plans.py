"""No public page reads all submissions or scores: its cost depends on what it shows.

The plans are the database's own; and twice as many submissions of others must not be more work, which would reveal a
detour by another table.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from leaderboard.benchmarks.models import Version
from leaderboard.submissions.models import Submission
from tests.live import LiveSite
from tests.plans import crowd, featured, plans_of, public_addresses, recorded
from tests.services import postgres

#: Statements of a page: each address of today takes at most this many, whatever its length.
MOST_QUERIES = 20
SEARCHES = "q="
CROWD = 400
PLANS = """
import json
from leaderboard.benchmarks import freezing
from leaderboard.models import Benchmark, Preset
from tests.leaderboard.conftest import TINY
from tests.plans import crowd, featured, plans_of, public_addresses
preset = Preset.objects.create(
    benchmark=Benchmark.objects.get(suite="goldevidence"), name="tiny", title="Tiny", settings=TINY
)
version = freezing.start(preset=preset, open_demo=True, wake_worker=False)
assert freezing.freeze(version.pk)
version.refresh_from_db()
crowd(version, 4000)
from django.db import connection
connection.cursor().execute("ANALYZE")
print(json.dumps(plans_of(public_addresses(featured(version)))))
"""


@pytest.fixture(scope="module")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    with postgres() as url, LiveSite(tmp_path_factory.mktemp("site"), database_url=url) as live_site:
        yield live_site


def check(pages: dict[str, dict[str, Any]]) -> None:
    """Assert that every page is there, takes few queries, and none reads a big table from end to end."""
    assert len(pages) > 50
    for address, page in pages.items():
        assert page["status"] == 200, address
        assert page["queries"] <= MOST_QUERIES, address
        # A search reads the notes, which an index holds by themselves, and nothing else.
        allowed = "submission_noted" if SEARCHES in address else "nothing is allowed"
        assert [step for step in page["scans"] if allowed not in step] == [], address


def test_no_public_page_scans_submissions(version: Version) -> None:
    crowd(version, CROWD)
    check(plans_of(public_addresses(featured(version))))


@pytest.mark.postgres
@pytest.mark.xdist_group("live")
def test_no_public_page_scans_submissions_on_postgresql(postgresql: LiveSite) -> None:
    check(json.loads(postgresql.shell(PLANS).splitlines()[-1]))


def test_a_scan_is_seen(version: Version) -> None:
    """The check can fail: pages once had these statements."""
    crowd(version, 20)
    with recorded() as statements:
        Submission.objects.filter(file_sha256="0").count()
        list(Submission.objects.order_by("-score__headline")[:5])
        list(Submission.objects.filter(visibility="public").order_by("-created_at", "pk")[:5])
    from tests.plans import scans

    assert [bool(scans(statement)) for statement in statements] == [True, True, False]


def steps(address: str) -> int:
    """SQLite's work for the statements of a page, in hundreds of its instructions."""
    with recorded() as statements:
        assert Client().get(address).status_code == 200
    done = 0

    def count() -> None:
        nonlocal done
        done += 1

    connection.connection.set_progress_handler(count, 100)
    try:
        with connection.cursor() as cursor:
            for sql, params in statements:
                cursor.execute(sql, params)
                cursor.fetchall()
    finally:
        connection.connection.set_progress_handler(None, 0)
    return done


@pytest.mark.skipif(connection.vendor != "sqlite", reason="counts the instructions of SQLite")
def test_three_times_as_many_submissions_of_others_are_no_more_work(version: Version) -> None:
    crowd(version, CROWD)
    one = featured(version)
    addresses = [address for address in public_addresses(one) if SEARCHES not in address]
    before = {address: steps(address) for address in addresses}
    crowd(version, 2 * CROWD, owner="others", systems=0)
    after = {address: steps(address) for address in addresses}
    more = {a: (before[a], after[a]) for a in addresses if after[a] > 1.25 * before[a] + 20}
    assert more == {}
