"""The setting MODEL_SERVERS: its content, and mistakes reported before the site starts."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from benchsite import model_servers
from benchsite.model_servers import ModelServer


def test_servers_keep_their_order_and_the_name_of_their_key() -> None:
    text = '{"local": {"base_url": "http://127.0.0.1:8080/v1"}, "b": {"base_url": "https://b.org", "key": "B_KEY"}}'
    assert list(model_servers.read(text).items()) == [
        ("local", ModelServer("http://127.0.0.1:8080/v1")),
        ("b", ModelServer("https://b.org", "B_KEY")),
    ]
    assert model_servers.read("") == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("local=http://x", "not JSON"),
        ('["http://x"]', "JSON object"),
        ('{"Local Server": {"base_url": "http://x"}}', "'Local Server': a name has"),
        ('{"a": "http://x"}', "must be an object with base_url"),
        ('{"a": {"url": "http://x"}}', "must be an object with base_url"),
        ('{"a": {"base_url": "ftp://x"}}', "http:// or https://"),
        ('{"a": {"base_url": "http://u:s3cret@x/v1"}}', "without user and password"),
        ('{"a": {"base_url": 5}}', "http:// or https://"),
        ('{"a": {"base_url": "http://x", "key": "sk-12 34"}}', "the name of an environment variable"),
    ],
)
def test_a_mistake_is_named(text: str, words: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=words):
        model_servers.read(text)
