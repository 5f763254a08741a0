"""Fixtures: boards of no, one, several and equal systems, and the texts of their figures."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import QueryDict
from django.urls import reverse

from leaderboard.boards import figures
from leaderboard.boards.figures.data import board_of
from leaderboard.submissions.models import Submission, System


@pytest.fixture(autouse=True)
def items_of_few(monkeypatch):
    """Let pages show items of boards with few systems, as boards of tests have."""
    monkeypatch.setattr(figures, "ITEMS_FROM", 1)


@pytest.fixture
def contest(user, submit):
    """Submits systems with these numbers of wrong answers; `tokens`: what each reports per query."""

    def make(
        version, wrong: dict[str, int], *, tokens: dict[str, float] | None = None, **fields: Any
    ) -> dict[str, Submission]:
        made = {}
        for name, count in wrong.items():
            system = System.objects.create(owner=user, name=name, **fields)
            made[name] = submit(version, system, wrong=count)
            if tokens and name in tokens:
                Submission.objects.filter(pk=made[name].pk).update(
                    efficiency={"tokens_per_query": tokens[name]}
                )
        return made

    return make


@pytest.fixture
def figure():
    """A figure of a board under the filters of a query."""

    def make(version, name: str, query: str = ""):
        return figures.draw(name, board_of(version, QueryDict(query)))

    return make


@pytest.fixture
def address():
    """The address of a version's figures, or of one figure."""

    def make(version, name: str = "", kind: str = "json") -> str:
        named = [version.benchmark.slug, version.slug]
        if not name:
            return reverse("leaderboard:board_figures", args=named)
        view = "board_figure" if kind == "json" else "board_figure_table"
        return reverse(f"leaderboard:{view}", args=[*named, name])

    return make
