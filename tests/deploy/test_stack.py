"""The kit's stack from its first command to a result: two nodes, a bucket, and a machine that dies in the middle."""

from __future__ import annotations

import gzip
import json
import re
import ssl
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from evaluation.goldevidence.suite import SUITE
from tests.deploy.stack import Node, nginx, wait_for_web
from tests.leaderboard.runs.gguf import SMALL_ORDER_BIAS, tiny_model
from tests.live import wait_for
from tests.services import bucket, client_of, free_port, postgres, redis

pytestmark = [
    *(pytest.mark.nginx, pytest.mark.openssl, pytest.mark.postgres, pytest.mark.redis, pytest.mark.wheel),
    *(pytest.mark.worker, pytest.mark.llama, pytest.mark.xdist_group("live")),
]
PASSWORD = "a-long-pass-phrase-1"
VERSION = "goldevidencebench/small"
#: Twelve rows.
SETTINGS = SMALL_ORDER_BIAS | {"generator": SMALL_ORDER_BIAS["generator"] | {"queries": 2}}
#: Slow enough to be killed in the middle: a second or two a row.
SLOW = {"width": 320, "layers": 7}
PATIENCE_S = 300


class Operator:
    """A superuser in a browser, and scripts with their token."""

    def __init__(self, address: str, certificate: Path) -> None:
        self.address = address
        trusted = ssl.create_default_context(cafile=certificate)
        options: Any = {"base_url": address, "verify": trusted, "timeout": 150}
        self.browser = httpx2.Client(follow_redirects=True, **options)
        self.fill_in("/accounts/login/", login="olga", password=PASSWORD)
        self.browser.headers["X-CSRFToken"] = self.browser.cookies["csrftoken"]
        self.browser.headers["Referer"] = address
        wanted = {"name": "stack", "scopes": ["read", "submit", "staff"], "days": 1}
        secret = self.browser.post("/api/v1/tokens", json=wanted).json()["secret"]
        self.script = httpx2.Client(headers={"Authorization": f"Bearer {secret}"}, **options)

    def close(self) -> None:
        """Close both connections."""
        self.browser.close()
        self.script.close()

    def fill_in(self, path: str, **fields: str) -> str:
        """Send the form of a page; the page shown after it."""
        page = self.browser.get(path).text
        fields["csrfmiddlewaretoken"] = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[0]
        sent = self.browser.post(path, data=fields, headers={"Referer": self.address})
        assert sent.status_code == 200, f"{path} answered {sent.status_code}: {sent.text[-2000:]}"
        return str(sent.text)

    def ask(self, method: str, path: str, **options: Any) -> Any:
        """Call the API as a script; its answer."""
        answer = self.script.request(method, f"/api/v1{path}", **options)
        assert answer.is_success, f"{path} answered {answer.status_code}: {answer.text[-2000:]}"
        return answer.json() if "json" in answer.headers["content-type"] else answer

    def freeze(self) -> None:
        """Make a small preset in the admin, and freeze it by its button."""
        start = self.browser.get("/admin/leaderboard/preset/add/").text
        (benchmark,) = re.findall(r"<h2>GoldEvidence\w*</h2>.*?\?benchmark=(\d+)", start, re.DOTALL)
        fields = {
            "benchmark": benchmark,
            "name": "small",
            "title": "Small",
            "settings": json.dumps(SETTINGS),
        }
        added = self.fill_in(f"/admin/leaderboard/preset/add/?benchmark={benchmark}", **fields, _continue="")
        (preset,) = set(re.findall(r"/admin/leaderboard/preset/(\d+)/history/", added))
        self.fill_in(f"/admin/leaderboard/preset/{preset}/change/", **fields, _freeze_open="")
        wait_for(self._is_frozen, seconds=60, what="the freeze")

    def _is_frozen(self) -> bool:
        answer = self.script.get(f"/api/v1/versions/{VERSION}")
        return bool(answer.is_success and answer.json()["status"] == "frozen")

    def upload(self) -> str:
        """Upload right answers to all rows; the id of the submission."""
        packed = self.ask("GET", f"/versions/{VERSION}/rows").content
        rows = map(json.loads, gzip.decompress(packed).splitlines())
        reader = SUITE.systems()["ledger"].build()
        lines = "".join(json.dumps(reader.predict(row)) + "\n" for row in rows)
        key = {"Idempotency-Key": str(uuid.uuid4())}

        def sent() -> str:
            wanted = {"version": VERSION, "system": "Reader"}
            answer = self.script.post("/api/v1/submissions", params=wanted, content=lines, headers=key)
            assert answer.is_success or answer.status_code == 503, answer.text  # too busy: sent again
            return str(answer.json()["id"]) if answer.is_success else ""

        return str(wait_for(sent, seconds=PATIENCE_S, what="an upload to be accepted"))

    def register(self, model: str) -> None:
        """Register a model at the node that has its file: the proxy asks the nodes in turn."""
        wait_for(lambda: self._registers(model), seconds=60, what=f"{model} to be registered")

    def _registers(self, model: str) -> bool:
        sent = self.browser.post("/models/register/", data={"name": model}, headers={"Referer": self.address})
        assert sent.status_code in (200, 422), sent.text[-2000:]
        return sent.status_code == 200

    def start_run(self, model: str) -> str:
        """Start a run over all rows, one after another; the id of the run."""
        values = {"threads": 1, "parallel": 1}
        wanted = {"version": VERSION, "executor": "adapter:llama_cpp", "model": model, "settings": values}
        return str(self.ask("POST", "/runs", json=wanted)["id"])

    def wait_until(self, path: str, check: Callable[[Any], bool], what: str) -> Any:
        """Wait until `check` accepts the API's answer about a job; that answer."""

        def look() -> Any:
            found = self.ask("GET", path)
            assert found["status"] not in ("failed", "paused"), found
            return found if check(found) else None

        return wait_for(look, seconds=PATIENCE_S, what=what, every=0.3)


@dataclass
class Stack:
    """nginx in front of two nodes with their own folders: one has the grading worker, the other the model worker."""

    olga: Operator
    folder: Path
    first: Node
    second: Node
    settings: dict[str, str]
    #: Address of the grading worker's WORKER_METRICS.
    numbers: str
    entered: ExitStack

    def copies(self) -> list[str]:
        """The objects in the bucket from which unfinished runs continue."""
        listed = client_of(self.settings).list_objects_v2(Bucket="artifacts", Prefix="unfinished/")
        return [each["Key"] for each in listed.get("Contents", [])]

    def read(self, node: Node, path: str) -> httpx2.Response:
        """One node's answer, requested as the proxy does."""
        host = self.olga.address.removeprefix("https://")
        headers = {"Host": host, "X-Forwarded-Proto": "https"}
        return httpx2.get(f"{node.address}{path}", headers=headers, timeout=150)


@pytest.fixture
def stack() -> Iterator[Stack]:
    """The stack, set up and started by the units' own commands on empty services."""
    port, broker, ports = free_port(), free_port(), (free_port(), free_port())
    with ExitStack() as entered:
        # Sockets lie below it, whose paths are bounded to 108 characters: those of pytest are longer.
        folder = Path(entered.enter_context(tempfile.TemporaryDirectory(prefix="stack-")))
        entered.enter_context(redis(folder, port=broker))
        _, s3 = entered.enter_context(bucket())
        address = entered.enter_context(nginx(folder / "nginx", ports, port=port))
        settings = s3 | {
            "SECRET_KEY": "of the stack",
            "DATABASE_URL": entered.enter_context(postgres(empty=True)),
            "BROKER_URL": f"redis://127.0.0.1:{broker}/0",
            "CACHE_URL": f"redis://127.0.0.1:{broker}/1",
            "SITE_URL": address,
            "ALLOWED_HOSTS": "localhost,127.0.0.1",
            "CSRF_TRUSTED_ORIGINS": address,
            "LEASE_SECONDS": "6",
            "REAP_SECONDS": "2",
            "COPY_SECONDS": "0.5",
        }
        numbers = f"127.0.0.1:{free_port()}"
        first = Node(folder / "first", settings | {"WORKER_METRICS": numbers}, web_port=ports[0])
        second = Node(folder / "second", settings, web_port=ports[1])
        for node in (first, second):
            entered.callback(node.kill)
            node.run("benchsite-setup.service")
            node.start("benchsite-web.service")
        tiny_model(second.state / "models", "slow.gguf", **SLOW)
        first.start("benchsite-worker@grading.service")
        second.start("benchsite-worker@models.service")
        first.manage(
            "createsuperuser", "--noinput", "--username", "olga", "--email", "olga@example.org",
            DJANGO_SUPERUSER_PASSWORD=PASSWORD,
        )  # fmt: skip
        for node in (first, second):
            wait_for_web(node.address)
        olga = Operator(address, folder / "nginx/tls/fullchain.pem")
        entered.callback(olga.close)
        yield Stack(olga, folder, first, second, settings, numbers, entered)


def test_started_work_is_finished_when_a_machine_dies(stack: Stack) -> None:
    olga, first, second = stack.olga, stack.first, stack.second
    probed = {path: olga.browser.get(path).status_code for path in ("/healthz", "/readyz", "/metrics")}
    assert probed == {"/healthz": 200, "/readyz": 404, "/metrics": 404}
    assert stack.read(first, "/readyz").json()["checks"].keys() >= {"database", "broker", "storage"}
    olga.freeze()
    sent = olga.upload()
    olga.register("slow.gguf")
    run = olga.start_run("slow.gguf")
    graded = olga.wait_until(f"/submissions/{sent}", lambda found: found["status"] == "graded", "the grade")
    assert graded["headline"]["value"] == 1.0
    assert (
        'bench_rows_graded_total{suite="goldevidence"}' in httpx2.get(f"http://{stack.numbers}/metrics").text
    )
    olga.wait_until(f"/runs/{run}", lambda found: found["rows_done"] >= 3, "the first rows")
    wait_for(stack.copies, seconds=PATIENCE_S, what="a copy in the bucket")
    second.kill()

    pages = [olga.browser.get(f"/boards/{VERSION}/") for _ in range(4)]  # the proxy passes the dead node over
    assert [(page.status_code, "Reader" in page.text) for page in pages] == [(200, True)] * 4
    third = Node(stack.folder / "third", stack.settings, web_port=free_port())
    stack.entered.callback(third.kill)
    tiny_model(third.state / "models", "slow.gguf", **SLOW)
    third.start("benchsite-worker@models.service")
    mark = third.state / "runs" / f"{run}.copied"  # written once all parts of the copy are here
    wait_for(mark.exists, seconds=PATIENCE_S, what="the copy to be fetched", every=0.02)
    fetched = answered_rows(third, run)
    assert len(fetched) >= 2, "it began anew"  # the copy is a row behind at most
    assert fetched == answered_rows(second, run)[: len(fetched)]
    finished = olga.wait_until(f"/runs/{run}", lambda found: found["status"] == "finished", "the run")
    result = f"/submissions/{finished['submission']}"
    olga.wait_until(result, lambda found: found["status"] == "graded", "the grade of the run")
    assert stack.copies() == []

    second.start("benchsite-web.service")  # as `Restart=` says
    wait_for_web(second.address)
    boards = [stack.read(node, f"/api/v1/leaderboard/{VERSION}").json() for node in (first, second)]
    assert boards[0] == boards[1]
    for path, shown in {f"/boards/{VERSION}/": "Reader", f"{result}/": finished["system"]["name"]}.items():
        pages = [stack.read(node, path) for node in (first, second)]
        assert [(page.status_code, shown in page.text) for page in pages] == [(200, True)] * 2


def answered_rows(node: Node, run: str) -> list[str]:
    """The ids of a run's rows whose answers a machine has."""
    path = node.state / "runs" / f"{run}.jsonl"
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [json.loads(line)["id"] for line in lines]
