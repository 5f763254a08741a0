"""Every command that a reader can copy does what it says: from the docs, and from the pages of the demo.

A page is a script from top to bottom. What cannot be run here stands in `NOT_RUN` with the reason, and has to be in the
docs still. Each code block of the docs says behind its fence what it is.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
import yaml
from django.core.management import load_command_class
from django.urls import resolve

from evaluation.cli import COMMANDS, _parser
from tests import copied
from tests.copied import Block, Shell
from tests.live import ROOT, LiveDemo, free_port, wait_for
from tests.tiny_gguf import CHAT_TEMPLATE, write_tiny_gguf

#: (where, how the block begins, why it is not run here). A page of the site is named by its view.
#: How the commands begin that ask a language model for the figures of a published table.
STARTS_OF_ANCHORS = (
    "goldevidencebench sweep run --out runs/",
    "goldevidencebench generate --out data/training",
)
NOT_RUN = [
    ("README.md", "make demo", "the demo runs while this test does, and `make test` is running it"),
    (
        "docs/benchmarks.md",
        "goldevidencebench reference --reference-dir",
        "needs the reference's data: test_reproduction",
    ),
    ("docs/benchmarks.md", "make anchors", "writes into the checkout: test_storing and test_reference"),
    ("docs/benchmarks.md", "GOLDEVIDENCEBENCH_EMBEDDING_MODEL", "needs that data and a model of embeddings"),
    (
        "docs/benchmarks.md",
        "goldevidencebench commitment",
        "needs a retired version: the command's own tests",
    ),
    ("docs/benchmarks.md", "python -m tests.benchmarks", "measures speed for minutes, on a quiet machine"),
    (
        "docs/grid.md",
        "goldevidencebench bench --model",
        "minutes of a model, and one without sense: test_bench",
    ),
    ("docs/grid.md", "python -m tests.benchmarks", "measures speed for minutes, on a quiet machine"),
    ("docs/gpu.md", "llama-server", "needs a card of 24 GB"),
    ("docs/gpu.md", "vllm serve", "needs a card of 24 GB"),
    (
        "docs/gpu.md",
        "goldevidencebench estimate",
        "asks a model of 7B: tests of servers use the same options",
    ),
    (
        "docs/gpu.md",
        "goldevidencebench validate",
        "sends what that model answered: the README's own flow is typed",
    ),
    ("docs/gpu.md", "CMAKE_ARGS", "builds llama.cpp with CUDA"),
    ("docs/gym.md", "make gym", "installs JAX and trains models for half an hour"),
    ("docs/gym.md", "cat > gym_tasks.py", "needs an environment of verifiers: `make bridges` types it"),
    ("docs/gym.md", "from trl import", "needs an environment of TRL: `make bridges` runs it"),
    ("docs/gym.md", "make bridges", "installs libraries of others and trains for minutes"),
    (
        "docs/memories.md",
        "goldevidencebench download statebench/decisions-short",
        "needs a site that serves this version, which takes the demo minutes: tests of submissions of contexts",
    ),
    ("docs/memories.md", "make memories", "installs libraries of others and measures for minutes"),
    ("docs/models.md", "pip install", "builds llama.cpp for minutes; `make test` installs the same extra"),
    ("docs/models.md", "for wording in a b c", "three runs of a model: test_wordings"),
    ("docs/models.md", "python -m tests.benchmarks", "measures speed for minutes, on a quiet machine"),
    ("docs/operations.md", "python -m venv .venv", "installs the site: `make demo` does the same"),
    (
        "docs/operations.md",
        "python manage.py restore",
        "replaces the site: tests of leaderboard/care restore others",
    ),
    ("docs/operations.md", "python manage.py createsuperuser", "asks for a password at a terminal"),
    (
        "docs/operations.md",
        "gunicorn",
        "they go on until they are stopped: LiveSite starts them in other tests",
    ),
    ("docs/python.md", "goldevidencebench reproduce", "the address is of another site: test_notebooks"),
    (
        "docs/python.md",
        "pip install 'goldevidencebench[receipts]'",
        "a receipt and keys of the reader's own: test_receipts",
    ),
    ("docs/python.md", "goldevidencebench convert FILE", "the file is the reader's own: tests of `foreign`"),
    (
        "docs/python.md",
        "pip install 'goldevidencebench[inspect]'",
        "installs Inspect: `make bridges` runs the task",
    ),
    (
        "docs/python.md",
        "goldevidencebench bridge",
        "asks lm-evaluation-harness: `make bridges` runs the task",
    ),
    ("docs/python.md", "cat > rows_tasks.py", "needs an environment of verifiers: `make bridges` types it"),
    ("docs/scale.md", "python -m tests.benchmarks", "measures speed for minutes, on a quiet machine"),
    ("docs/statebench.md", "python -m tests.benchmarks", "measures speed for minutes, on a quiet machine"),
    (
        "docs/statebench.md",
        "from goldevidencebench.statebench.conformance",
        "`my_system` is the reader's own",
    ),
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
PAUSED = (
    3  # how a run ends whose model hardly ever says what can be read: that of the tests has random weights
)
PASSWORD = "a-long-pass-phrase-1"
MODELS = ("qwen.gguf", "model.gguf")


def not_run(where: str, text: str) -> str:
    """The entry of `NOT_RUN` that a block begins with; empty where it is run."""
    return next((start for page, start, _ in NOT_RUN if page == where and text.startswith(start)), "")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def is_command(block: Block) -> bool:
    return block.kind == "sh" or block.first in copied.PROGRAMS


DOCUMENTS = [path for path in copied.documents() if any(map(is_command, copied.blocks(path)))]
INSTALLED = [path for path in DOCUMENTS if "llama_cpp" in path.read_text()]


# What needs no site


@pytest.mark.parametrize("path", copied.documents(), ids=name)
def test_every_block_of_the_docs_says_what_it_is(path: Path) -> None:
    for block in copied.blocks(path):
        assert block.kind in copied.KINDS | {""}, block.text
        assert block.kind == "sh" or block.first not in copied.PROGRAMS, f"mark as sh:\n{block.text}"
        if block.kind == "json":
            json.loads(block.text)
        if block.kind == "python":
            compile(block.text, name(path), "exec")


def test_what_is_not_run_is_still_there() -> None:
    texts = {name(path): [block.text for block in copied.blocks(path)] for path in copied.documents()}
    for where, start, _ in NOT_RUN:
        if where in texts:
            assert any(text.startswith(start) for text in texts[where]), f"{where} has no {start!r} any more"


def test_every_template_with_something_to_copy_is_known() -> None:
    templates = ROOT / "templates"
    collected = {
        path.relative_to(templates).as_posix()
        for path in templates.rglob("*.html")
        if "components/command.html" in path.read_text() or 'class="code"' in path.read_text()
    }
    assert collected - {"components/command.html"} == set(SHOWN_BY)


def mentioned(text: str) -> tuple[list[str], list[str]] | None:
    """(program and command, options) that a mention names; None where it names none."""
    words = text.split()
    if words[:1] == ["python"]:
        words = words[1:]
    if len(words) < 2 or words[0] not in ("goldevidencebench", "manage.py"):
        return None
    return words, [word.split("=")[0] for word in words if word.startswith("--")]


def known_options(words: list[str]) -> set[str]:
    """The options of the command that these words begin with. Fails where there is no such command."""
    if words[0] == "manage.py":
        parser = load_command_class("leaderboard", words[1]).create_parser("manage.py", words[1])
        return {option for action in parser._actions for option in action.option_strings}
    parser = _parser(words[1:2])
    for word in words[1:]:
        groups = [action for action in parser._actions if isinstance(action.choices, dict)]
        if not groups:
            break
        assert word in groups[0].choices, f"goldevidencebench has no {' '.join(words)}"
        parser = groups[0].choices[word]
    return {option for action in parser._actions for option in action.option_strings}


DJANGO_OWN = {"makemigrations", "migrate", "collectstatic", "createsuperuser"}


def check_mentions(texts: list[str]) -> None:
    for text in texts:
        result = mentioned(text.replace("|", " ").replace("…", ""))
        if result and result[0][1] not in DJANGO_OWN and result[0][1][:1] not in "-<":
            assert result[0][0] == "manage.py" or result[0][1] in COMMANDS, text
            assert set(result[1]) <= known_options(result[0]), text


@pytest.mark.parametrize("path", copied.documents(), ids=name)
def test_every_command_in_a_sentence_of_the_docs_exists(path: Path) -> None:
    check_mentions(copied.spans(path))


# What needs the demo


@pytest.fixture(scope="module")
def visitor(demo: LiveDemo) -> Iterator[httpx2.Client]:
    """Staff, signed in by the page."""
    demo.shell(
        "from django.contrib.auth import get_user_model as g; "
        f"g().objects.create_superuser('maintainer', 'm@example.org', {PASSWORD!r})"
    )
    with httpx2.Client(base_url=demo.url, follow_redirects=True, timeout=60) as client:
        post(client, "/accounts/login/", login="maintainer", password=PASSWORD)
        yield client


def post(client: httpx2.Client, path: str, **fields: str) -> httpx2.Response:
    """Send a form of a page."""
    client.get(path)
    fields["csrfmiddlewaretoken"] = client.cookies["csrftoken"]
    response = client.post(path, data=fields, headers={"Referer": str(client.base_url)})
    assert response.status_code == 200, response.text
    return response


@pytest.fixture(scope="module")
def token(visitor: httpx2.Client) -> str:
    """One that the page of tokens made, as the docs say."""
    page = post(visitor, "/account/tokens/", name="docs", scopes="staff", days="30").text
    return next(text for text in copied.copied(page).blocks if re.fullmatch(r"geb_[\w-]+", text))


@pytest.fixture(scope="module")
def shell(demo: LiveDemo, token: str) -> Iterator[Any]:
    """Opens a folder to work in, with the reader's models in it."""
    replace = {"http://127.0.0.1:8000": demo.url, "geb_…": token, "8801": str(free_port())}
    site = {name: demo.env[name] for name in ("DATA_DIR", "DJANGO_SETTINGS_MODULE")}
    with tempfile.TemporaryDirectory() as folder:
        opened: dict[str, Shell] = {}

        def open_shell(called: str) -> Shell:
            if called not in opened:
                opened[called] = Shell(Path(folder) / called, replace, **site)
            return opened[called]

        yield open_shell
        for each in opened.values():
            each.close()


def give_models(folder: Path) -> None:
    """Models that end their turn soon: a run whose answers are all cut off would pause."""
    for model in MODELS:
        write_tiny_gguf(folder / model, context=1536, chat_template=CHAT_TEMPLATE, terse=True)


def script(path: Path) -> str:
    """All that is run of a page, in its order; python blocks within the shell."""
    parts = []
    for number, block in enumerate(copied.blocks(path), 1):
        if block.kind in ("sh", "python") and not not_run(name(path), block.text):
            text = f"python - <<'BLOCK'\n{block.text}BLOCK" if block.kind == "python" else block.text
            parts.append(f"echo '[block {number}]'\n{text}")
    return "\n".join(parts)


def marks(path: Path) -> list[Any]:
    needed = {"llama_cpp": pytest.mark.llama, "import gymnasium": pytest.mark.gymnasium}
    return [mark for words, mark in needed.items() if words in path.read_text()]


@pytest.mark.worker
@pytest.mark.curl
@pytest.mark.xdist_group("demo")
@pytest.mark.parametrize("path", [pytest.param(path, id=name(path), marks=marks(path)) for path in DOCUMENTS])
def test_a_page_of_the_docs_is_a_script_that_runs(path: Path, demo: LiveDemo, shell: Any) -> None:
    opened = shell(path.stem)
    if path in INSTALLED:
        give_models(opened.folder)
        give_models(demo.folder / "models")
    output = opened.run(script(path))
    if path in INSTALLED:
        demo.shell(CANCEL_RUNS)
    for words in SAID.get(name(path), ()):
        assert words in output, output


#: A page may leave a run over all of a version going, which would hold up what is copied later for minutes.
CANCEL_RUNS = """
from leaderboard.models import Run
from leaderboard.runs import life
for run in Run.objects.filter(status__in=Run.ACTIVE):
    life.cancel(run)
"""


#: What a page's script says where it did what it is for.
SAID = {
    "README.md": ["signed in to", "graded, 1.0000", "My reader", "41 of 41 requirements"],
    "docs/api.md": ['"valid":true', '"name":"exact_acc"', '"value":1.0', "graded, 1.0000"],
    "docs/frames.md": ["closed_book    1.0", "exact_acc"],
    "docs/grid.md": ["16 runs written to runs/first", "2 sweeps written", "report written to bench-rules"],
    "docs/memories.md": ["notes:Notes", "decision_accuracy"],
    "docs/models.md": ["tiny · ", "Queued again"],
    "docs/maintaining.md": ["ok ", "0 to grade again", "/versions/statebench/our-own/"],
    "docs/statebench.md": ["41 of 41 requirements", "state_based_facts_only"],
}


def test_the_script_of_the_api_is_short() -> None:
    blocks = copied.blocks(ROOT / "docs" / "api.md")
    (result,) = [block for block in blocks if block.text.startswith("set -eu")]
    assert len(result.text.splitlines()) <= 10


# What the pages show


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


def crawl(client: httpx2.Client) -> dict[str, tuple[str, copied.Copied]]:
    """address -> (view, what can be copied there), a few pages of each kind, as staff see them."""
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
    """The site's own view at an address; empty for what is not a page, or the same page under a filter."""
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
    demo: LiveDemo, visitor: httpx2.Client, token: str, shell: Any
) -> None:
    give_models(demo.folder / "models")
    pages = crawl(visitor)
    assert {view for view in SHOWN_BY.values() if view} <= {view for view, _ in pages.values()}
    reader = Reader(visitor, token, shell)
    for address, (view, value) in sorted(pages.items(), key=sort_key):
        check_mentions(value.spans)
        for text in value.blocks:
            reader.take(address, view, text)
    shown = {(view, start) for view, start, _ in NOT_RUN if view.startswith("leaderboard:")}
    assert shown == reader.left_out, "what is not run has to be shown still"
    assert reader.commands > 12


class Reader:
    """Copies what a page shows, and does with it what it is for."""

    def __init__(self, client: httpx2.Client, token: str, shell: Any) -> None:
        self.client, self.token, self.shell = client, token, shell
        self.left_out: set[tuple[str, str]] = set()
        self.commands = 0
        self._done: set[str] = set()

    def take(self, address: str, view: str, text: str) -> None:
        if text in self._done:
            return
        if start := not_run(view, text):
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
        """What parses; and where a version's page shows it, a line that answers one of its rows."""
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
    """A run of a model over some rows of each split: over all of a version it takes minutes."""
    return f"{command} --limit 24" if " run_model " in command else command


def answers(port: int) -> bool:
    try:
        return httpx2.get(f"http://127.0.0.1:{port}/", timeout=2).status_code > 0
    except httpx2.TransportError:
        return False


def _ends(command: str) -> tuple[int, ...]:
    """Exit codes that are right for it: a bench ends with 1 where its system misses a bar, as a naive one does."""
    if " bench " in command:
        return 0, 1
    if " reproduce " in command:
        return 0, 2  # the marks of a sealed version are secret
    return (0, PAUSED) if "gguf" in command else (0,)
