"""`leaderboard` prints ranks as ranges, and the reason if there are none."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from evaluation.cli import main
from evaluation.cli.site import leaderboard
from evaluation.remote.records import BoardRow, Page

DIAGNOSTIC = "20 episodes are too few (ranks need at least 40)"


def row(name: str, low: int | None, high: int | None, reason: str | None = None) -> dict[str, object]:
    return {
        "rank": low, "rank_low": low, "rank_high": high, "not_ranked": reason, "system": name, "owner": "ada",
        "verified": False, "headline": 0.5, "headline_low": 0.4, "headline_high": 0.6, "tokens_per_query": None,
        "submitted": "2026-01-01T00:00:00Z",
    }  # fmt: skip


class Site:
    """Answers as the API does."""

    def __init__(self, summary: str, rows: list[dict[str, object]]) -> None:
        self.summary, self.rows = summary, rows

    def items(self, path, model, **_):
        return iter([BoardRow.model_validate(each) for each in self.rows])

    def get(self, path, model, **_):
        return Page.model_validate({"items": self.rows, "next": None, "summary": self.summary})


@pytest.fixture
def printed(monkeypatch, capsys):
    """The command's output for a board."""

    def run(summary: str, *rows: dict[str, object]) -> str:
        @contextmanager
        def connect(args):
            yield Site(summary, list(rows))

        monkeypatch.setattr(leaderboard.options, "connect", connect)
        assert main(["leaderboard", "goldevidencebench/standard"]) == 0
        return " ".join(capsys.readouterr().out.split())

    return run


def test_a_rank_is_the_range_that_a_system_may_have(printed):
    text = printed(
        "2 systems can still be the best: a and b.", row("a", 1, 2), row("b", 1, 2), row("c", 3, 3)
    )
    assert "1–2 a ada" in text
    assert "3 c ada" in text
    assert "2 systems can still be the best: a and b." in text


def test_a_diagnostic_version_says_why_it_has_no_ranks(printed):
    text = printed("Diagnostic.", row("a", None, None, DIAGNOSTIC), row("b", None, None, DIAGNOSTIC))
    assert "– a ada" in text
    assert f"Diagnostic. Not ranked, {DIAGNOSTIC}: a, b" in text
