"""Fixtures for tests of systems: an episode, timelines, tiny models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters.environment import PREFIX
from evaluation.goldevidence.adapters.books.artifacts import book_of
from evaluation.goldevidence.data.ledger import Entry
from evaluation.statebench.generator.tracks import generate
from tests.tiny_gguf import CHAT_TEMPLATE, write_tiny_gguf

ENTRIES = [
    Entry("U000001", 1, "SET", "tag.00", "amber-0001"),
    Entry("U000002", 2, "SET", "tag.01", "teal-0002"),
    Entry("U000003", 3, "NOTE", "tag.00", "jade-0003"),
    Entry("U000004", 4, "SET", "tag.00", "ochre-0004"),
    Entry("U000005", 5, "CLEAR", "tag.01", None),
    Entry("U000006", 6, "NOTE", "tag.00", "sable-0006"),
]


def log_of(entries: list[Entry]) -> str:
    lines = [entry.line().replace("] step", "] UPDATE step") for entry in entries]
    lines.insert(1, "- DISTRACTOR step=1 tag.00 = violet-9999")
    return "\n".join(
        ["# GoldEvidenceBench Episode E0001", "", "## Episode Log", "", "### Segment 1", *lines, ""]
    )


def make_row(
    number: int = 1, key: str = "tag.00", *, episode: str = "E0001", cite: bool = True
) -> dict[str, Any]:
    """A plain row: log and book of one episode."""
    return {
        "id": f"{episode}-Q{number:03d}",
        "episode_id": episode,
        "document": log_of(ENTRIES),
        "book": book_of(ENTRIES, episode),
        "question": f"Question {number}: what is the current value of {key}?",
        "meta": {"key": key, "derived_op": None, "requires_citation": cite},
    }


def condition_row(number: int = 1, candidates: list[Entry] | None = None) -> dict[str, Any]:
    """A condition row: only candidates are shown."""
    row = make_row(number)
    del row["document"], row["book"]
    shown = ENTRIES[:1] + ENTRIES[2:4] if candidates is None else candidates
    row["id"] += "@k4-gold_last"
    return row | {"candidates": [entry._asdict() for entry in shown]}


def make_timelines(*tracks: str, count: int = 2) -> list[dict[str, Any]]:
    """Timelines with ground truth; by default one query each."""
    return list(generate(list(tracks) or ["supersession", "causality"], count, 3))


@pytest.fixture
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset the environment variables of our prefix."""
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny GGUF with a chat template."""
    return write_tiny_gguf(tmp_path_factory.mktemp("models") / "tiny.gguf", chat_template=CHAT_TEMPLATE)


@pytest.fixture(scope="session")
def terse_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny GGUF that ends its turn after a few tokens."""
    path = tmp_path_factory.mktemp("models") / "terse.gguf"
    return write_tiny_gguf(path, chat_template=CHAT_TEMPLATE, terse=True)


@pytest.fixture(scope="session")
def plain_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny GGUF of other weights without a chat template."""
    return write_tiny_gguf(tmp_path_factory.mktemp("models") / "plain.gguf", seed=7)
