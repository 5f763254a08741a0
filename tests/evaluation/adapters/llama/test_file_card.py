"""Facts about a model, taken from its metadata unchanged; nothing is guessed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.adapters.llama.file_card import KEYS, PLACES, file_card

HUB = "https://huggingface.co"


def card(**metadata: Any) -> dict[str, str]:
    return file_card({f"general.{key.replace('__', '.')}": value for key, value in metadata.items()}.get)


def test_what_is_said_is_taken_and_the_rest_left_out() -> None:
    assert card() == {}
    assert card(organization="HuggingFaceTB", author="ben", license="apache-2.0", size_label="135M") == {
        "developer": "HuggingFaceTB",
        "licence": "apache-2.0",
        "size_label": "135M",
    }
    assert card(license="other", license__name="llama3.2")["licence"] == "llama3.2"


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("Qwen/Qwen2.5-0.5B", ("Qwen/Qwen2.5-0.5B", "")),
        (f"{HUB}/Qwen/Qwen2.5-0.5B", ("Qwen/Qwen2.5-0.5B", "")),
        (f"{HUB}/Qwen/Qwen2.5-0.5B/tree/abc123", ("Qwen/Qwen2.5-0.5B", "abc123")),
        ("https://hf.co/Qwen/Qwen2.5-0.5B/", ("Qwen/Qwen2.5-0.5B", "")),
        (f"{HUB}/datasets/Qwen/rows", ("", "")),
        (f"{HUB}/Qwen", ("", "")),
        ("https://code.example/Qwen/Qwen2.5", ("", "")),
        ("https://huggingface.co.evil.example/a/b", ("", "")),
        ("not an address", ("", "")),
        ("http://[not an address", ("", "")),
        (f"{HUB}/a b/c", ("", "")),
        (f"{HUB}/a/b/tree/odd%20name", ("a/b", "")),
    ],
)
def test_an_id_on_the_hub_is_read_from_addresses_of_the_hub_alone(place: str, found: tuple[str, str]) -> None:
    said = card(repo_url=place)
    assert (said.get("hub_id", ""), said.get("hub_revision", "")) == found


def test_the_model_s_own_repository_goes_before_that_it_was_made_from() -> None:
    both = card(repo_url=f"{HUB}/me/mine-GGUF", source__repo_url=f"{HUB}/you/yours")
    assert both["hub_id"] == "me/mine-GGUF"
    assert card(source__repo_url=f"{HUB}/you/yours")["hub_id"] == "you/yours"


def test_the_base_model_is_not_taken_for_the_model() -> None:
    base = {"base_model__0__organization": "Qwen", "base_model__0__name": "Qwen2.5 0.5B"}
    assert card(**base) == {"base_model": "Qwen Qwen2.5 0.5B"}
    assert card(**base, base_model__0__repo_url=f"{HUB}/Qwen/Qwen2.5-0.5B") == {
        "base_model": "Qwen/Qwen2.5-0.5B"
    }


def test_a_link_is_one_that_a_reader_can_follow() -> None:
    assert card(license__link="javascript:alert(1)") == {}
    assert card(license__link="LICENSE") == {}
    assert card(license__link="https://example.org/l")["licence_url"] == "https://example.org/l"


@given(
    st.dictionaries(st.sampled_from([*PLACES, *(key for keys in KEYS.values() for key in keys)]), st.text())
)
def test_whatever_a_file_says_a_card_is_short_lines(metadata: dict[str, str]) -> None:
    for text in file_card(metadata.get).values():
        assert text == " ".join(text.split())
        assert 0 < len(text) <= 200
