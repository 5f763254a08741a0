"""Mail, signed webhooks and weekly digests on both databases: failures are retried, and each comes once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import standardwebhooks
from aiosmtpd.controller import Controller

from tests.flows.test_concurrency import database  # noqa: F401 (fixture)
from tests.leaderboard.accounts.test_outbox import Post
from tests.leaderboard.conftest import TINY
from tests.leaderboard.notices.conftest import SITE, Receiver
from tests.live import LiveSite, wait_for
from tests.services import free_port

pytestmark = [pytest.mark.worker, pytest.mark.xdist_group("live")]

#: A submission that waits to be graded, of an account that asked to be told of it.
SEED = f"""
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from evaluation.core import jsonl
from leaderboard.benchmarks import freezing, storage
from leaderboard.models import Benchmark, Preset, System, Version
from leaderboard.notices import services
from leaderboard.notices.models import Kind, NoticeSettings
from leaderboard.submissions import services as submissions
benchmark = Benchmark.objects.get(suite="goldevidence")
preset = Preset.objects.create(benchmark=benchmark, name="tiny", title="Tiny", settings={TINY!r})
assert freezing.freeze(freezing.start(preset=preset, open_demo=True, wake_worker=False).pk)
version = Version.objects.select_related("benchmark").get()
user = get_user_model().objects.create_user("ada", "ada@example.org")
EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
NoticeSettings.objects.create(user=user, by_mail=[Kind.GRADED])
ledger = version.suite.systems()["ledger"].build()
jsonl.write(PATH, [ledger.predict(row) for row in storage.rows(version.rows_sha256)])
system = System.objects.create(owner=user, name="Reader")
print(services.make(user, URL, [Kind.GRADED]).secret)
submissions.create(submissions.accept(version, PATH), system=system, submitter=user)
"""
#: Mail gathers for two minutes: not here, and both workers put it together.
GATHERED = """
from django.contrib.auth import get_user_model
from leaderboard.jobs import dispatch
for _ in range(4):
    dispatch.enqueue("mail_notices", get_user_model().objects.get(username="ada").pk)
"""
#: What the outbox, and what a webhook waits for.
WAITS = """
import json
from leaderboard.models import Delivery, Mail
print(json.dumps([[row.error for row in kind.objects.exclude(next_attempt_at=None)] for kind in (Mail, Delivery)]))
"""
#: The waits are over, and both workers get each task.
AGAIN = """
from leaderboard.jobs import dispatch
from leaderboard.models import Delivery, Mail
for kind in (Mail, Delivery):
    kind.objects.update(next_attempt_at=None)
    for key in list(kind.objects.values_list("pk", flat=True)) * 4:
        dispatch.enqueue(kind.TASK, key)
"""
#: A digest is due, and four look for it at the same moment.
DIGESTS = """
import threading
from django.contrib.auth import get_user_model
from django.db import connection
from django.utils import timezone
from leaderboard.models import Version
from leaderboard.notices import digests
from leaderboard.notices.models import Follow
user = get_user_model().objects.get(username="ada")
Follow.objects.create(user=user, version=Version.objects.get(), told_at=timezone.now() - digests.EVERY)
together, sent = threading.Barrier(4), []

def look():
    together.wait()
    sent.append(digests.send_due())
    connection.close()

threads = [threading.Thread(target=look) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(sorted(sent), digests.send_due())
"""
LEFT = """
import json
from leaderboard.models import Delivery, Mail, Notice
print(json.dumps([kind.objects.count() for kind in (Notice, Mail, Delivery)]))
"""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        yield server


def test_a_grade_is_mailed_and_posted_once_after_failures_and_a_digest_comes_once_a_week(
    tmp_path: Path,
    database: str,  # noqa: F811
    receiver: Receiver,
) -> None:
    receiver.noise, post, port = b"\0\r\n", Post(), free_port()
    told = {"EMAIL_URL": f"smtp://127.0.0.1:{port}", "SITE_URL": SITE, "WEBHOOKS_TO_LOOPBACK": "true"}
    with LiveSite(tmp_path, database_url=database, **told) as site:
        seed = f"PATH, URL = {str(tmp_path / 'preds.jsonl')!r}, {receiver.url!r}" + SEED
        secret = site.shell(seed).splitlines()[-1]
        site.start_worker()
        site.start_worker()
        wait_for(lambda: receiver.posted, seconds=90, what="the grade")
        site.shell(GATHERED)
        reasons = wait_for(lambda: failed(site), seconds=60, what="mail and webhook to fail")
        assert "the mail server does not accept the message" in reasons[0][0]
        assert "the receiver did not accept the message (No answer: �)" in reasons[1][0]
        receiver.noise, server = b"", Controller(post, hostname="127.0.0.1", port=port)
        refused = len(receiver.posted)
        server.start()
        try:
            site.shell(AGAIN)
            assert site.shell(DIGESTS) == "[0, 0, 0, 1] 0"
            wait_for(lambda: site.shell(LEFT) == "[0, 0, 0]", seconds=60, what="what is left to be sent")
        finally:
            server.stop()
    subjects = sorted(message["Subject"] for message in post.delivered)
    assert subjects == ["Reader on Tiny is graded: 100.0%", "Tiny: the week on the board"]
    assert {message["To"] for message in post.delivered} == {"ada@example.org"}
    assert len(receiver.posted) == refused + 1
    (first, _), *_, (headers, body) = receiver.posted
    assert first["webhook-id"] == headers["webhook-id"]
    payload = standardwebhooks.Webhook(secret).verify(body, headers)
    assert (payload["type"], payload["data"]["headline"]["value"]) == ("submission.graded", 1.0)


def failed(site: LiveSite) -> list[list[str]] | None:
    reasons = json.loads(site.shell(WAITS))
    return reasons if all(reasons) else None
