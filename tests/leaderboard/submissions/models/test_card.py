"""The model card: facts from a file, facts entered by a person, and what readers see."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from leaderboard.submissions.models import System
from leaderboard.submissions.models.card import CARD_FIELDS, CardRow

FACTS = {"developer": "HuggingFaceTB", "context": 8192, "licence": "apache-2.0", "parameters": "135M"}


def test_a_file_fills_in_what_is_empty_and_says_so(system: System) -> None:
    system.parameters = "7B"  # of an earlier release, which kept no source
    assert set(system.fill_from_file(FACTS)) == {"developer", "context", "licence", "card_sources"}
    assert system.card == [
        CardRow("developer", "HuggingFaceTB", from_file=True),
        CardRow("parameters", "7B"),
        CardRow("context", "8,192 tokens", from_file=True),
        CardRow("licence", "apache-2.0", from_file=True),
    ]
    assert system.fill_from_file(FACTS) == []


def test_what_a_person_entered_or_emptied_is_never_replaced(system: System) -> None:
    system.fill_from_file(FACTS)
    system.developer, system.licence = "Hugging Face", ""
    system.mark_entered(["developer", "licence", "description"])
    assert system.fill_from_file(FACTS | {"developer": "Someone", "context": 4096}) == []
    assert (system.developer, system.licence, system.context) == ("Hugging Face", "", 8192)
    assert set(system.card_sources) == {"developer", "licence", "context", "parameters"}


def test_of_what_a_person_names_the_file_tells_neither_revision_nor_licence_text(system: System) -> None:
    said = {
        "hub_id": "they/theirs",
        "hub_revision": "abc",
        "licence": "mit",
        "licence_url": "https://example.org/mit",
    }
    system.hub_id, system.licence = "me/mine", ""
    system.mark_entered(["hub_id", "licence"])
    assert system.fill_from_file(said) == []
    system.full_clean()
    assert system.card == [CardRow("Hub id", "me/mine")]
    untouched = System(owner=system.owner, name="other")
    assert set(untouched.fill_from_file(said)) == {*said, "card_sources"}


def test_empty_fields_are_not_shown(system: System) -> None:
    assert system.card == []
    assert "description" not in CARD_FIELDS
    assert "card_sources" not in CARD_FIELDS


def test_a_full_card_reads_in_order(system: System) -> None:
    for name, value in {
        "hub_id": "me/mine",
        "hub_revision": "abc",
        "weights": "conditions",
        "released": date(2025, 2, 1),
        "licence": "",
        "licence_url": "https://example.org/licence",
        "price_in": 0.15,
        "price_out": 0.6,
    }.items():
        setattr(system, name, value)
    assert system.card == [
        CardRow("Hub id", "me/mine at abc"),
        CardRow("weights", "Open, with conditions"),
        CardRow("released", "1 Feb 2025"),
        CardRow("licence", "see its text", "https://example.org/licence"),
        CardRow("price per million tokens", "$0.15 in · $0.6 out"),
    ]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"hub_id": "no id at all"}, "hub_id"),
        ({"hub_revision": "abc"}, "hub_revision"),
        ({"released": timezone.now().date() + timedelta(days=2)}, "released"),
        ({"context": 0}, "context"),
        ({"price_in": -1.0}, "price_in"),
        ({"weights": "ajar"}, "weights"),
        ({"licence_url": "javascript:alert(1)"}, "licence_url"),
    ],
)
def test_what_cannot_be_is_refused_beside_its_field(
    system: System, values: dict[str, Any], field: str
) -> None:
    for name, value in values.items():
        setattr(system, name, value)
    with pytest.raises(ValidationError) as refused:
        system.full_clean()
    assert set(refused.value.message_dict) == {field}


FORM = {"kind": "llm", **dict.fromkeys(CARD_FIELDS, ""), "description": "", "url": ""}


def test_the_owner_fills_the_card_in_and_all_readers_see_it(
    client: Client, version: Any, system: System, submit: Any
) -> None:
    submit(version, system)
    address = system.get_absolute_url()
    assert "Model card" not in client.get(address).content.decode()
    client.force_login(system.owner)
    assert "not filled in yet" in client.get(address).content.decode()
    filled = FORM | {"developer": "Ada Labs", "weights": "open", "context": "8192", "price_in": "0"}
    assert client.post(f"{address}edit/", filled).status_code == 302
    client.logout()
    page = client.get(address).content.decode()
    assert "Ada Labs" in page
    assert "8,192 tokens" in page
    assert "$0 in" in page
    assert "from the file" not in page
    system.refresh_from_db()
    assert system.card_sources == dict.fromkeys(["developer", "weights", "context", "price_in"], "person")


def test_a_mistake_in_the_form_is_named_and_nothing_is_saved(client: Client, system: System) -> None:
    client.force_login(system.owner)
    wrong = FORM | {"hub_id": "a b", "hub_revision": "x y", "context": "many", "released": "soon"}
    page = client.post(f"{system.get_absolute_url()}edit/", wrong)
    assert page.status_code == 422
    assert set(page.context["form"].errors) == {"hub_id", "hub_revision", "context", "released"}
    system.refresh_from_db()
    assert system.card_sources == {}


def test_the_api_reads_and_changes_it(ada: Any, system: System) -> None:
    system.fill_from_file(FACTS)
    system.save()
    address = "/systems/ada/ledger-reader"
    shown = ada("GET", address).json()
    assert (shown["developer"], shown["context"], shown["price_in"]) == ("HuggingFaceTB", 8192, None)
    assert shown["from_file"] == ["developer", "parameters", "context", "licence"]
    change = {"developer": "Hugging Face", "weights": "open", "released": "2024-11-01", "price_in": 0.5}
    changed = ada("PATCH", address, change, kind="application/json").json()
    assert changed | change == changed
    assert changed["from_file"] == ["parameters", "context", "licence"]
    emptied = ada("PATCH", address, {"context": None, "price_in": None}, kind="application/json").json()
    assert (emptied["context"], emptied["price_in"]) == (None, None)
    assert ada("GET", address).json()["from_file"] == ["parameters", "licence"]


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"hub_id": "a b"}, "hub_id"),
        ({"hub_revision": "abc"}, "hub_revision"),
        ({"weights": "ajar"}, "weights"),
        ({"link": "http://[x"}, "link"),
    ],
)
def test_the_api_refuses_what_the_form_refuses(
    ada: Any, system: System, change: dict[str, str], name: str
) -> None:
    refused = ada("PATCH", "/systems/ada/ledger-reader", change, kind="application/json")
    assert refused.status_code == 422
    assert name in refused.json()["detail"]
    system.refresh_from_db()
    assert system.card == []


def test_a_change_of_one_field_does_not_stumble_over_another(ada: Any, system: System) -> None:
    System.objects.update(hub_id="as imported before ids were checked")
    done = ada("PATCH", "/systems/ada/ledger-reader", {"developer": "x"}, kind="application/json")
    assert done.status_code == 200
