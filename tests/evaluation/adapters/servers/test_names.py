"""Whether the answering model is the requested one."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.adapters.servers.names import is_same, public
from tests.evaluation.adapters.server import Server, serving
from tests.evaluation.adapters.servers.playing import ANSWER, play, says


@pytest.mark.parametrize(
    ("asked", "answered", "same"),
    [
        ("default", "anything", True),
        ("gpt-4o", "", True),
        ("gpt-4o", "gpt-4o-2024-08-06", True),
        ("claude-x", "claude-x-20250929", True),
        ("qwen3", "qwen3:latest", True),
        ("Qwen/Qwen3-8B", "qwen3-8b", True),
        ("qwen3-8b", "/models/Qwen3-8B.gguf", True),
        ("gpt-4o", "gpt-4o-mini", False),
        ("gpt-4o", "gpt-4", False),
        ("qwen3:8b", "qwen3:4b", False),
        ("qwen3-8b", "qwen3-8b-q4", False),
    ],
)
def test_names_of_one_model_are_told_from_names_of_two(asked: str, answered: str, same: bool) -> None:
    assert is_same(asked, answered) is same


def test_a_folder_of_the_server_is_not_published() -> None:
    assert public("/home/ann/models/q.gguf") == public(r"C:\\models\\q.gguf") == "q.gguf"
    assert public("Qwen/Qwen3-8B") == "Qwen/Qwen3-8B"


@pytest.mark.parametrize(("answers", "warned"), [("big-1", False), ("small-1", True)])
def test_both_are_in_the_results_and_a_difference_is_one_warning(
    answers: str, warned: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(Server(None, script=lambda body: (200, says(ANSWER, model=answers)))) as server:
        played = play(server, tmp_path, model="big-1")
    told = played.summary.provenance["server"]
    assert (told["model_asked"], told["models_answered"]) == ("big-1", [answers])
    assert caplog.text.count("Requested model big-1, but small-1 answered") == warned
