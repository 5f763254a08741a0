"""Keys of identity providers: how they are read, and mistakes reported before the site starts."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from benchsite import identity_providers


def test_without_keys_no_provider_is_offered() -> None:
    assert identity_providers.read({}) == identity_providers.read({"SIGN_IN_ORCID": ""}) == {}
    assert identity_providers.origins({"SIGN_IN_ORCID": ""}) == []


def test_each_provider_has_its_id_secret_scope_and_address() -> None:
    keys = dict.fromkeys(identity_providers.PROVIDERS, "an id:a secret: with a colon")
    configured = identity_providers.read(keys)
    apps = {app["provider_id"]: app for kind in configured.values() for app in kind["APPS"]}
    assert {key: app["name"] for key, app in apps.items()} == {
        "github": "GitHub", "huggingface": "Hugging Face", "orcid": "ORCID",
    }  # fmt: skip
    assert {(app["client_id"], app["secret"]) for app in apps.values()} == {
        ("an id", "a secret: with a colon")
    }
    assert apps["orcid"]["settings"]["server_url"] == "https://orcid.org"
    assert apps["orcid"]["settings"]["scope"] == ["openid"]
    assert identity_providers.origins(keys) == [
        "https://github.com", "https://huggingface.co", "https://orcid.org",
    ]  # fmt: skip


@pytest.mark.parametrize("pair", ["an-id", "an-id:", ":a secret"])
def test_a_mistake_is_named(pair: str) -> None:
    with pytest.raises(
        ImproperlyConfigured, match="SIGN_IN_GITHUB must be the client id and the secret of GitHub"
    ):
        identity_providers.read({"SIGN_IN_GITHUB": pair})
