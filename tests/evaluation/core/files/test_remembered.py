"""Results of reading texts stay in memory, long texts do not."""

from __future__ import annotations

from evaluation.core.files.remembered import LONG, remembered


def counting(texts: int):
    calls: list[str] = []

    @remembered(texts)
    def read(text: str, more: int = 0) -> tuple[int, int]:
        calls.append(text[:5])
        return len(text), more

    return read, calls


def test_a_text_is_read_once_short_or_long() -> None:
    for text in ("short", "x" * (LONG + 1)):
        read, calls = counting(2)
        assert read(text) == read("".join(list(text))) == (len(text), 0)
        assert len(calls) == 1


def test_settings_are_told_apart() -> None:
    read, calls = counting(4)
    assert [read("text", 1), read("text", 2), read("text", 1)] == [(4, 1), (4, 2), (4, 1)]
    assert len(calls) == 2


def test_the_text_that_was_asked_for_longest_ago_goes_first() -> None:
    read, calls = counting(2)
    for text in ("a", "b", "a", "c", "a", "b"):
        read(text)
    assert calls == ["a", "b", "c", "b"]


def test_long_texts_that_differ_at_the_end_are_told_apart() -> None:
    read, calls = counting(4)
    read("x" * LONG + "a")
    read("x" * LONG + "b")
    assert len(calls) == 2
