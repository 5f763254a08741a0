"""Sign-in with an account at GitHub, Hugging Face or ORCID, each offered once its client id and secret are set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.core.exceptions import ImproperlyConfigured


class IdentityProvider(NamedTuple):
    """A sign-in provider. `key` is a part of its redirect URI, `SITE_URL/accounts/…/<key>/login/callback/`."""

    key: str
    label: str
    address: str
    scope: tuple[str, ...]
    openid: bool = True  # OpenID Connect; else a provider that allauth knows by its key


#: Setting -> provider. ORCID's OpenID Connect has one scope, and gives no e-mail address.
PROVIDERS = {
    "SIGN_IN_GITHUB": IdentityProvider(
        "github", "GitHub", "https://github.com", ("user:email",), openid=False
    ),
    "SIGN_IN_HUGGING_FACE": IdentityProvider(
        "huggingface", "Hugging Face", "https://huggingface.co", ("openid", "profile", "email")
    ),
    "SIGN_IN_ORCID": IdentityProvider("orcid", "ORCID", "https://orcid.org", ("openid",)),
}


def read(keys: Mapping[str, str]) -> dict[str, Any]:
    """Build SOCIALACCOUNT_PROVIDERS from a `client id:secret` per provider. Raises ImproperlyConfigured."""
    configured: dict[str, Any] = {}
    for name, provider in PROVIDERS.items():
        if not (pair := keys.get(name, "")):
            continue
        client_id, _, secret = pair.partition(":")
        if not (client_id and secret):
            raise ImproperlyConfigured(
                f"{name} must be the client id and the secret of {provider.label}: id:secret"
            )
        app = {
            "provider_id": provider.key,
            "name": provider.label,
            "client_id": client_id,
            "secret": secret,
            "settings": {
                "server_url": provider.address,
                "scope": list(provider.scope),
                "oauth_pkce_enabled": True,
            },
        }
        kind = "openid_connect" if provider.openid else provider.key
        configured.setdefault(kind, {"APPS": []})["APPS"].append(app)
    return configured


def origins(keys: Mapping[str, str]) -> list[str]:
    """Origins to which sign-in forms may redirect, for `form-action` of the Content-Security-Policy."""
    return [provider.address for name, provider in PROVIDERS.items() if keys.get(name)]
