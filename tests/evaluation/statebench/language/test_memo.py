"""The memory of texts that were read: one entry per text, and bounded."""

from __future__ import annotations

import pytest

from evaluation.statebench.language import memo as module
from evaluation.statebench.language.memo import memo


def test_a_value_is_computed_once_per_text() -> None:
    asked: list[str] = []

    @memo
    def length(text: str) -> int:
        asked.append(text)
        return len(text)

    assert [length(text) for text in ("a", "bb", "a")] == [1, 2, 1]
    assert asked == ["a", "bb"]


def test_it_starts_anew_when_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    asked: list[int] = []

    @memo
    def double(number: int) -> int:
        asked.append(number)
        return 2 * number

    assert [double(number) for number in (1, 2, 3, 1, 4, 1)] == [2, 4, 6, 2, 8, 2]
    assert asked == [1, 2, 3, 4, 1]


def test_what_cannot_be_computed_is_not_kept() -> None:
    @memo
    def inverse(number: int) -> float:
        return 1 / number

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            inverse(0)
