"""A fact of a model card is in the form, on the system's page, in the view *Models*, in the API and in files."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.db import models
from django.test import Client

from leaderboard.submissions.models import Submission, System
from leaderboard.submissions.models.card import CARD_FIELDS
from leaderboard.web.formatting import day

#: Facts that *Models* leaves out: addresses, and those that its columns *Model* and *Price* hold.
NOT_IN_MODELS = {
    "hub_id",
    "hub_revision",
    "base_model",
    "quantization",
    "licence_url",
    "price_in",
    "price_out",
}
VALUES: dict[type, Any] = {
    models.DateField: date(2025, 2, 1),
    models.FloatField: 0.125,
    models.PositiveIntegerField: 8191,
    models.URLField: "https://example.org/licence",
}


def value_of(field: Any) -> Any:
    """A valid value that no other part of a page has."""
    return field.choices[1][0] if field.choices else VALUES.get(type(field), f"known-{field.name}")


def text_of(system: System, name: str) -> str:
    """The value as a page shows it."""
    value = getattr(system, name)
    if isinstance(value, date):
        return day(value)
    shown = getattr(system, f"get_{name}_display", None)
    return f"{value:,}" if isinstance(value, int) else str(shown() if shown else value)


@pytest.fixture
def known(client: Client, version: Any, system: System, submit: Any) -> Submission:
    """A public result of a system whose card has every fact, entered by the form."""
    made: Submission = submit(version, system)
    client.force_login(system.owner)
    values = {name: value_of(System._meta.get_field(name)) for name in CARD_FIELDS}
    sent = client.post(f"{system.get_absolute_url()}edit/", values | {"kind": "llm"})
    assert sent.status_code == 302, sent.context["form"].errors
    made.refresh_from_db()
    return made


def test_each_fact_of_a_card_is_shown_everywhere(client: Client, anybody: Any, known: Submission) -> None:
    system, board = known.system, known.version.get_board_url()
    page = client.get(system.get_absolute_url()).content.decode().split("Model card")[1]
    table = client.get(f"{board}?view=models").content.decode().split('aria-label="Models">')[1]
    answer = anybody("GET", f"/systems/{system.owner}/{system.slug}").json()
    (line,) = client.get(f"{board}export.json").json()
    for name in CARD_FIELDS:
        assert text_of(system, name) in page, "add it to `_card_texts`"
        assert name in NOT_IN_MODELS or text_of(system, name) in table, "add it to models_table.html"
        value = getattr(system, name)
        assert answer[name] == line[name] == (value.isoformat() if isinstance(value, date) else value), name
