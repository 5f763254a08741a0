"""Ten accounts submit at once, each beyond its quota: quotas hold exactly, every grading happens once."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from tests.leaderboard.conftest import TINY
from tests.live import LiveSite, wait_for
from tests.services import postgres

ACCOUNTS, QUOTA, EXCESS, AT_ONCE = 10, 5, 2, 24
SEED = f"""
from django.contrib.auth import get_user_model
from evaluation.core import jsonl
from leaderboard.benchmarks import freezing, storage
from leaderboard.models import ApiToken, Benchmark, Preset, Version
benchmark = Benchmark.objects.get(suite="goldevidence")
preset = Preset.objects.create(benchmark=benchmark, name="tiny", settings={TINY!r})
freezing.freeze(freezing.start(preset=preset, open_demo=True, wake_worker=False).pk)
rows = storage.rows(Version.objects.get().rows_sha256)
ledger = preset.benchmark.engine.systems()["ledger"].build()
jsonl.write(PATH, [ledger.predict(row) for row in rows])
users = [get_user_model().objects.create_user(f"user{{n}}") for n in range({ACCOUNTS})]
tokens = [ApiToken.objects.issue(user=user, name="t", scopes=["read", "submit"]) for user in users]
print(json.dumps([secret for _, secret in tokens]))
"""
COUNT = """
from django.db.models import Count
from leaderboard.models import Event, Score, Submission
print(json.dumps({
    "by account": list(Submission.objects.values_list("submitter__username").annotate(n=Count("pk"))),
    "by status": dict(Submission.objects.values_list("status").annotate(n=Count("pk"))),
    "scores": Score.objects.count(),
    "gradings": Event.objects.filter(kind__in=["graded", "regraded"]).count(),
    "attempts": sorted(set(Submission.objects.values_list("attempts", flat=True))),
    "shown": Submission.objects.filter(shown=True).count(),
    "values": sorted(set(Score.objects.values_list("headline", flat=True))),
}))
"""


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "sqlite":
        yield ""
        return
    with postgres() as url:
        yield url


@pytest.mark.worker
@pytest.mark.xdist_group("live")
def test_fifty_submissions_at_once_are_each_graded_exactly_once_and_no_account_exceeds_its_quota(
    tmp_path: Path, database: str
) -> None:
    limits = {"SUBMISSIONS_PER_VERSION_PER_DAY": str(QUOTA), "API_UPLOADS_PER_MINUTE": "10000"}
    with LiveSite(tmp_path, database_url=database, **limits) as site:
        answers = tmp_path / "preds.jsonl"
        tokens = json.loads(site.shell(f"import json\nPATH = {str(answers)!r}" + SEED))
        site.start_worker()
        site.start_worker()
        site.start_web()
        statuses = send_all(site.url, tokens * (QUOTA + EXCESS), answers.read_bytes())
        assert statuses == {201: ACCOUNTS * QUOTA, 429: ACCOUNTS * EXCESS}
        result = wait_for(lambda: all_graded(site), seconds=120, what="the workers to grade everything")
    assert result == {
        "by account": [[f"user{n}", QUOTA] for n in range(ACCOUNTS)],
        "by status": {"graded": ACCOUNTS * QUOTA},
        "scores": ACCOUNTS * QUOTA,
        "gradings": ACCOUNTS * QUOTA,
        "attempts": [1],
        "shown": ACCOUNTS,
        "values": [1.0],
    }


def send_all(url: str, tokens: list[str], answers: bytes) -> dict[int, int]:
    """Send one submission per token, many at once; status -> how often it came back."""
    # A connection that was idle for two seconds may be closed by the server just as it is used again: none is.
    limits = httpx2.Limits(max_connections=AT_ONCE, max_keepalive_connections=0)
    with httpx2.Client(timeout=120, limits=limits) as client, ThreadPoolExecutor(AT_ONCE) as pool:

        def send(token: str) -> int:
            """Send, and again a little later while another file is checked; the status."""
            address = f"{url}/api/v1/submissions?version=goldevidencebench/tiny&system=Mine"
            for pause in range(400):
                answer = client.post(address, content=answers, headers={"Authorization": f"Bearer {token}"})
                if not answer.is_error or not answer.json()["type"].endswith((":check-running", ":busy")):
                    break
                assert answer.headers["Retry-After"] == "5"
                time.sleep(0.05 + pause / 200)
            return answer.status_code

        return dict(Counter(pool.map(send, tokens)))


def all_graded(site: LiveSite) -> dict[str, object] | None:
    data = json.loads(site.shell("import json" + COUNT))
    data["by account"].sort(key=lambda pair: int(pair[0].removeprefix("user")))
    return data if set(data["by status"]) == {"graded"} else None
