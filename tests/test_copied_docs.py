"""Every command that a reader can copy from the docs does what it says. Pages of the demo: test_copied_pages.py.

A page is a script from top to bottom. What cannot be run here is in `NOT_RUN` with the reason, and must still be in the
docs. Each code block of the docs says behind its fence what it is.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import copied
from tests.copied import Block, not_run
from tests.demo_reader import give_models
from tests.live import ROOT, LiveDemo
from tests.mentions import check_mentions

#: (page, how the block begins, why it is not run here).
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
]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def is_command(block: Block) -> bool:
    return block.kind == "sh" or block.first in copied.PROGRAMS


DOCUMENTS = [path for path in copied.documents() if any(map(is_command, copied.blocks(path)))]
INSTALLED = [path for path in DOCUMENTS if "llama_cpp" in path.read_text()]


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
        assert any(text.startswith(start) for text in texts[where]), f"{where} has no {start!r} any more"


@pytest.mark.parametrize("path", copied.documents(), ids=name)
def test_every_command_in_a_sentence_of_the_docs_exists(path: Path) -> None:
    check_mentions(copied.spans(path))


def script(path: Path) -> str:
    """The blocks of a page that are run, in order; Python blocks within the shell."""
    parts = []
    for number, block in enumerate(copied.blocks(path), 1):
        if block.kind in ("sh", "python") and not not_run(NOT_RUN, name(path), block.text):
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
def test_a_page_of_the_docs_is_a_script_that_runs(path: Path, demo: LiveDemo, demo_shell: Any) -> None:
    opened = demo_shell(path.stem)
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
