"""Locks: one generation at a time in a process, one process at a time per model."""

from __future__ import annotations

import threading

import pytest

from leaderboard.jobs import locks


def test_two_generations_never_run_at_once_in_a_process(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    order: list[str] = []

    def second() -> None:
        with locks.model_lock("b", give_up=lambda: False):
            order.append("second")

    with locks.model_lock("a", give_up=lambda: False):
        other = threading.Thread(target=second)
        other.start()
        other.join(0.5)
        order.append("first")
    other.join(5)
    assert order == ["first", "second"]


def test_a_turn_that_another_process_holds_is_waited_for_until_called_off(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    another = locks.file_lock("model")
    with another, pytest.raises(locks.LockGivenUp), locks.model_lock("model", give_up=lambda: True):
        pass
    with locks.model_lock("model", give_up=lambda: True):
        assert locks._generation.locked()
    assert not locks._generation.locked()
