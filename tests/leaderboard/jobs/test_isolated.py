"""Work in a process of its own has limits, and its errors are reported here."""

from __future__ import annotations

import os

import pytest

from evaluation.adapters.llama import model_file
from evaluation.core.errors import AdapterError
from leaderboard.jobs import isolated
from tests.leaderboard.submissions.dying import die


def test_the_result_comes_from_another_process() -> None:
    assert isolated.run(os.getpid, seconds=5) != os.getpid()


def test_an_error_for_a_reader_is_raised_as_it_is() -> None:
    with pytest.raises(AdapterError, match="no model file at absent"):
        isolated.run(model_file.describe, "absent", seconds=5)


def test_more_memory_than_allowed_is_refused_in_a_sentence() -> None:
    assert isolated.run(bytes, 1 << 20, seconds=5, memory=64 << 20) == bytes(1 << 20)
    with pytest.raises(isolated.TooMuchError, match="took more than 67,108,864 bytes of memory"):
        isolated.run(bytes, 1 << 30, seconds=5, memory=64 << 20)


def test_more_time_than_allowed_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolated, "WALL", 60)  # however busy this machine is
    with pytest.raises(isolated.TooMuchError, match="took more than 1 s"):
        isolated.run(sum, range(1 << 40), seconds=1)


def test_a_death_is_no_answer() -> None:
    with pytest.raises(isolated.BrokenOffError, match="ended with -9"):
        isolated.run(die, seconds=5)
