"""Marks of changes on PostgreSQL: writers do not block each other, and the last commit is seen, too."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.live import LiveSite
from tests.services import postgres

pytestmark = [pytest.mark.postgres, pytest.mark.xdist_group("live")]
TWO_WRITERS = """
import json, threading
from django.db import connection, transaction
from leaderboard.models import Benchmark, ContentChange, System
from leaderboard.ready_pages.models import fingerprint, thin_out
from django.contrib.auth import get_user_model

names, may_commit, has_written = [fingerprint()], threading.Event(), threading.Event()

def slow():
    with transaction.atomic():
        Benchmark.objects.update(summary="slow")
        has_written.set()
        assert may_commit.wait(20)
    connection.close()

thread = threading.Thread(target=slow)
thread.start()
assert has_written.wait(20)
names.append(fingerprint())  # nothing is committed yet
System.objects.bulk_create([System(owner=get_user_model().objects.create_user("x"), name="x", slug="x")])
names.append(fingerprint())  # the fast one is seen while the slow one works
may_commit.set()
thread.join()
names.append(fingerprint())  # and the slow one, whose mark is older
System.objects.filter(slug="no such").update(name="y")
names.append(fingerprint())
ContentChange.objects.bulk_create(ContentChange() for _ in range(2000))
thinned = thin_out()
print(json.dumps({"names": names, "thinned": thinned, "left": ContentChange.objects.count()}))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    with postgres() as url, LiveSite(tmp_path_factory.mktemp("site"), database_url=url) as live_site:
        yield live_site


def test_no_writer_waits_for_another_and_every_commit_is_seen(site: LiveSite) -> None:
    data = json.loads(site.shell(TWO_WRITERS))
    start, uncommitted, fast, slow, nothing = data["names"]
    assert start == uncommitted
    assert len({start, fast, slow}) == 3
    assert nothing != slow, "a statement that changes no row leaves a mark, too: once too often is safe"
    assert (data["thinned"] >= 2000, data["left"]) == (True, 1)
