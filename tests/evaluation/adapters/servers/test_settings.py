"""Server settings: objects as JSON texts, no key in any output, and which settings go together."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.adapters.servers.settings import ConnectionSettings
from evaluation.adapters.settings import read_settings
from evaluation.core.errors import SettingsError


def read(**given: Any) -> ConnectionSettings:
    return read_settings(ConnectionSettings, given, {})


def test_an_object_is_a_text_that_is_always_written_the_same_way() -> None:
    text = read(extra_body='{ "top_k":40, "min_p": 0.1}').extra_body
    assert text == '{"min_p": 0.1, "top_k": 40}'
    assert read(extra_body={"top_k": 40, "min_p": 0.1}).extra_body == text
    assert read(extra_body="{}").extra_body == read(extra_body="").extra_body == ""
    assert read(headers='{"X-Title": "order bias"}').headers == '{"X-Title": "order bias"}'


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("extra_body", "min_p=0.1", "must be a JSON object"),
        ("extra_body", "[1]", "must be a JSON object"),
        ("extra_body", '{"min_p": NaN}', "must be a JSON object"),
        ("extra_body", '{"model": "other"}', "must not contain model"),
        ("extra_body", '{"messages": [], "n": 4}', "must not contain messages, n"),
        ("extra_body", '{"provider": {"api_key": "sesame-1"}}', "must not contain a key"),
        ("extra_body", '{"user": "sk-sesame-0123"}', "must not contain a key"),
        ("headers", '{"Authorization": "Bearer sesame-1"}', "must not contain a key"),
        ("headers", '{"x-api-key": "sesame-1"}', "must not contain a key"),
        ("headers", '{"X-Auth-Token": "sesame-1"}', "must not contain a key"),
        ("headers", '{"Cookie": "session=sesame-1"}', "must not contain a key"),
        ("headers", '{"X-Note": "hf_sesame0123"}', "must not contain a key"),
        ("headers", '{"Host": "example.org"}', "must not contain a key"),
        ("headers", '{"X-Title": 5}', "must map names of headers to texts"),
        ("headers", '{"X-Title": "a\\nb"}', "must map names of headers to texts"),
        ("headers", '{"X Title": "a"}', "must map names of headers to texts"),
        ("headers", '{"X-Title": "ü"}', "must be ASCII"),
        ("top_p", "0", "must be above 0"),
        ("top_p", "1.5", "at most 1"),
        ("reasoning_effort", "huge", "must be one of"),
        ("max_cost", "5", "needs price_in or price_out"),
        ("seed", "soon", "must be a whole number"),
    ],
)
def test_what_cannot_be_sent_or_may_not_be_kept_is_refused(name: str, value: str, reason: str) -> None:
    with pytest.raises(SettingsError, match=reason) as refused:
        read(**{name: value})
    assert name in refused.value.fields
    assert "sesame" not in str(refused.value)


def test_a_seed_and_a_share_may_be_none() -> None:
    for none in ("none", "None", ""):
        assert (read(seed=none).seed, read(top_p=none).top_p) == (None, None)
    assert (read().seed, read(seed="7").seed, read(top_p="0.9").top_p) == (0, 7, 0.9)
