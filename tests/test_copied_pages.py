"""Every command that a reader can copy from pages of the demo does what it says. The docs: test_copied_docs.py."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import yaml
from django.urls import resolve

from tests import copied
from tests.copied import Block, not_run
from tests.demo_reader import give_models
from tests.live import ROOT, LiveDemo, wait_for
from tests.mentions import check_mentions

#: How the commands begin that ask a language model for the figures of a published table.
STARTS_OF_ANCHORS = (
    "goldevidencebench sweep run --out runs/",
    "goldevidencebench generate --out data/training",
)
#: (view, how the block begins, why it is not run here).
NOT_RUN = [
    (
        "leaderboard:gym",
        "goldevidencebench gym loop",
        "a whole loop takes minutes: docs/gym.md types a short one",
    ),
    ("leaderboard:docs", "pip install ", "changes the environment: .ci/engine_alone runs it in an empty one"),
    *(
        (
            "leaderboard:anchors",
            start,
            "asks a language model for hours: tests of `anchors.commands` read its options",
        )
        for start in STARTS_OF_ANCHORS
    ),
    (
        "leaderboard:submit",
        "pip install ",
        "changes the environment: .ci/engine_alone runs it in an empty one",
    ),
    (
        "leaderboard:tokens",
        "pip install ",
        "changes the environment: .ci/engine_alone runs it in an empty one",
    ),
]
#: Templates that show something to copy -> the view on which this test meets it, or why it meets it nowhere.
SHOWN_BY = {
    "components/cite_and_share_version.html": "leaderboard:version",
    "components/cite_and_share_system.html": "leaderboard:system",
    "components/cite_and_share_submission.html": "leaderboard:submission",
    "components/sample_line.html": "leaderboard:docs",
    "components/conformance_steps.html": "leaderboard:conformance",
    "components/of_version.html": "leaderboard:submit",
    "components/provenance.html": "leaderboard:run",
    "components/install.html": "leaderboard:docs",
    "components/published_table.html": "leaderboard:anchors",
    "components/llama_missing.html": "",  # only where llama-cpp-python is lacking: test_modelfiles
    "suites/statebench/boards.html": "leaderboard:docs",
    "suites/statebench/forms.html": "leaderboard:docs",
    "suites/goldevidence/forms.html": "leaderboard:docs",
    "leaderboard/anchors.html": "leaderboard:anchors",
    "leaderboard/api_docs.html": "leaderboard:api_docs",
    "leaderboard/tokens.html": "leaderboard:tokens",
    "leaderboard/row.html": "",  # the form of an answer, which the page of the version shows as well
    "leaderboard/models.html": "leaderboard:models",
    "leaderboard/job.html": "leaderboard:run",  # a bench has the command that docs/grid.md types
    "leaderboard/docs.html": "leaderboard:docs",
    "leaderboard/version.html": "leaderboard:version",
    "leaderboard/gym.html": "leaderboard:gym",
    "leaderboard/webhooks.html": "",  # a secret, which is no command
    "leaderboard/loop.html": "",  # the command of docs/gym.md with other numbers
    "components/front_callout.html": "",  # below three models above guessing: the commands of the page of a version
}
#: Exit code of a run whose model hardly ever gives a readable answer: that of the tests has random weights.
PAUSED = 3
LIMIT = 3  # pages of one kind
SKIPPED = {
    "board_export",
    "version_rows",
    "version_documents",
    "feed",
    "version_feed",
    "submission_predictions",
    "submission_transcripts",
    "figure",
    "loop",  # there where a test before ran one, with the command of the page of the gym
}
ORDER = ["docs", "version", "submit"]  # rows are downloaded and answered before a file is checked


def test_every_template_with_something_to_copy_is_known() -> None:
    templates = ROOT / "templates"
    collected = {
        path.relative_to(templates).as_posix()
        for path in templates.rglob("*.html")
        if "components/command.html" in path.read_text() or 'class="code"' in path.read_text()
    }
    assert collected - {"components/command.html"} == set(SHOWN_BY)


def crawl(client: httpx2.Client) -> dict[str, tuple[str, copied.Copied]]:
    """Address -> (view, its copyable code), of a few pages of each kind, as staff see them."""
    seen: dict[str, int] = {}
    collected: dict[str, tuple[str, copied.Copied]] = {}
    waiting = ["/", "/boards/statebench/quick/", "/versions/", "/account/tokens/"]
    while waiting:
        address = waiting.pop(0)
        view = view_of(address)
        kind = f"{view} {'statebench' in address}"
        if address in collected or not view or seen.get(kind, 0) >= LIMIT:
            continue
        response = client.get(address)
        if not response.headers["content-type"].startswith("text/html"):
            continue
        assert response.status_code == 200, (address, response.status_code)
        seen[kind] = seen.get(kind, 0) + 1
        collected[address] = (view, copied.copied(response.text))
        waiting += (
            [link for link in collected[address][1].links if link.startswith(("/", "?"))] if view else []
        )
    return collected


def view_of(address: str) -> str:
    """The site's own view at an address; empty if it is no page, or a page under a filter."""
    parts = urlsplit(address)
    if not parts.path or parts.path.startswith(("/admin", "/accounts", "/static", "/api")):
        return ""
    match = resolve(parts.path)
    filtered = parts.query and match.url_name not in ("docs", "submit", "compare")
    return "" if filtered or match.url_name in SKIPPED else match.view_name


def sort_key(item: tuple[str, tuple[str, copied.Copied]]) -> int:
    view = item[1][0].removeprefix("leaderboard:")
    return ORDER.index(view) if view in ORDER else len(ORDER)


@pytest.mark.worker
@pytest.mark.curl
@pytest.mark.llama
@pytest.mark.xdist_group("demo")
def test_everything_to_copy_on_pages_of_the_demo_works(
    demo: LiveDemo, demo_visitor: httpx2.Client, demo_token: str, demo_shell: Any
) -> None:
    give_models(demo.folder / "models")
    pages = crawl(demo_visitor)
    assert {view for view in SHOWN_BY.values() if view} <= {view for view, _ in pages.values()}
    reader = Reader(demo_visitor, demo_token, demo_shell)
    for address, (view, value) in sorted(pages.items(), key=sort_key):
        check_mentions(value.spans)
        for text in value.blocks:
            reader.take(address, view, text)
    shown = {(view, start) for view, start, _ in NOT_RUN}
    assert shown == reader.left_out, "what is not run has to be shown still"
    assert reader.commands > 12


class Reader:
    """Copies what a page shows, and uses each thing as intended."""

    def __init__(self, client: httpx2.Client, token: str, shell: Any) -> None:
        self.client, self.token, self.shell = client, token, shell
        self.left_out: set[tuple[str, str]] = set()
        self.commands = 0
        self._done: set[str] = set()

    def take(self, address: str, view: str, text: str) -> None:
        if text in self._done:
            return
        if start := not_run(NOT_RUN, view, text):
            self.left_out.add((view, start))
            return
        self._done.add(text)
        if Block("", text).first in copied.PROGRAMS:
            self._run(address, text)
        elif text.startswith("["):
            self._read_markdown_or_json(address, text)
        elif address_of_rows := re.fullmatch(
            r'load_dataset\("parquet", data_files="(.+)", split="train"\)', text
        ):
            assert self.client.get(address_of_rows[1]).content.startswith(b"PAR1"), text
        elif text.startswith(("- ", "model-index:")):
            assert yaml.safe_load(text), text
        elif text.startswith("{"):
            self._read_json(address, text)
        elif text.startswith("Authorization: "):
            header = text.removeprefix("Authorization: ").replace("geb_…", self.token)
            answer = httpx2.get(
                f"{self.client.base_url}/api/v1/tokens/current", headers={"Authorization": header}
            )
            assert answer.json()["user"] == "maintainer"
        elif text.startswith("http"):
            assert self.client.get(text).status_code == 200, text
        else:
            assert Path(text).is_dir(), f"{address} shows {text!r}: what is it?"

    def _run(self, address: str, text: str) -> None:
        self.commands += 1
        rows = re.search(r"([\w-]+)\.rows\.jsonl\.gz", text)
        opened = self.shell(f"page-{rows[1] if rows else 'others'}")
        if "gguf" in text:
            give_models(opened.folder)
        for made in re.findall(r"--out ([\w-]+)", text):  # by another page about the same version
            for file in opened.folder.glob(f"{made}*"):
                file.unlink()
        if " serve " not in text:
            output = opened.run(_of_few_rows(text), ends=_ends(text))
            assert "report written to" in output or " bench " not in text, (text, output)
            return
        opened.leave(text)
        wait_for(lambda: answers(int(opened.filled("8801"))), seconds=60, what=text)

    def _read_markdown_or_json(self, address: str, text: str) -> None:
        pictures = re.fullmatch(r"\[!\[.*\]\((\S+)\)\]\((\S+)\)", text)
        if pictures is None:
            self._read_json(address, text)
            return
        for url in pictures.groups():
            assert self.client.get(url).status_code == 200, url

    def _read_json(self, address: str, text: str) -> None:
        """Parse a text; one shown on a version's page must be a line that answers one of its rows."""
        json.loads(text)
        version = re.search(r"version=([\w-]+/[\w-]+)|/versions/([\w-]+/[\w-]+)/", address)
        if version is None:
            return
        path = f"/api/v1/versions/{version[1] or version[2]}/validate"
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = httpx2.post(
            f"{self.client.base_url}{path}", content=text, headers=headers, timeout=60
        ).json()
        alone = answer.get("valid") or set(answer["counts"]) == {"missing_id"}  # a track may have one query
        assert alone, (address, text, answer)


def _of_few_rows(command: str) -> str:
    """The command, but with a model over some rows of each split only: all rows take minutes."""
    return f"{command} --limit 24" if " run_model " in command else command


def answers(port: int) -> bool:
    try:
        return httpx2.get(f"http://127.0.0.1:{port}/", timeout=2).status_code > 0
    except httpx2.TransportError:
        return False


def _ends(command: str) -> tuple[int, ...]:
    """The right exit codes: a bench ends with 1 if its system misses a threshold, as a naive one does."""
    if " bench " in command:
        return 0, 1
    if " reproduce " in command:
        return 0, 2  # the marks of a sealed version are secret
    return (0, PAUSED) if "gguf" in command else (0,)
