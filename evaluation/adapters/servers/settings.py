"""Settings of a model server: URL, request fields, speed, and cost limits.

The key is not a setting: it is read from GOLDEVIDENCEBENCH_API_KEY or OPENAI_API_KEY, or from the variable that
`key_variable` names. `extra_body` and `headers` are JSON texts in a canonical form.
"""

from __future__ import annotations

import json
import os
import re
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

from evaluation.adapters.servers.throttle import FIRST_AT_A_TIME
from evaluation.adapters.settings import AdapterSettings
from evaluation.core.connections import usable_key
from evaluation.core.errors import AdapterError
from evaluation.core.secrets import is_secret, redact
from evaluation.core.settings import refused

KEY_VARIABLES = ("GOLDEVIDENCEBENCH_API_KEY", "OPENAI_API_KEY")
NO_KEY = "none"
#: Request fields with a setting of their own, or that would ask for more than one answer.
OWN_FIELDS = frozenset(
    {
        "model",
        "messages",
        "prompt",
        "stream",
        "n",
        "max_tokens",
        "max_completion_tokens",
        "temperature",
        "seed",
    }
)
_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)?")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
#: Headers that may hold a key, or that the connection itself writes.
_CLOSED_HEADER = re.compile(
    r"auth|cookie|token|secret|passw|session|key\b|^(host|connection|transfer-encoding|te|upgrade|content-.*)$",
    re.I,
)


def _is_address(address: str) -> str:
    if not address.startswith(("http://", "https://")):
        raise refused("must begin with http:// or https://")
    try:
        if not urlsplit(address).hostname or urlsplit(address).port == 0:
            raise ValueError
    except ValueError as error:  # an invalid port or IPv6 address
        raise refused("must be an address, such as http://127.0.0.1:8080/v1") from error
    if "@" in urlsplit(address).netloc:
        raise refused("must not contain a user name or password: put the key into the environment")
    if urlsplit(address).query or urlsplit(address).fragment:
        raise refused("must not have a query (?…) or a fragment (#…): put the key into the environment")
    return address


def _is_variable(name: str) -> str:
    if not _VARIABLE.fullmatch(name) or redact(name) != name:
        raise refused("must be the name of an environment variable, not the key itself")
    return name


def _as_object(given: Any) -> str:
    try:
        data = json.loads(given or "{}") if isinstance(given, str) else given
        text = json.dumps(data, sort_keys=True, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise refused('must be a JSON object, such as {"min_p": 0.1}') from error
    if not isinstance(data, dict):
        raise refused('must be a JSON object, such as {"min_p": 0.1}')
    return text if data else ""


def _holds_no_secret(text: str) -> str:
    if _secret_names(json.loads(text or "{}")) or redact(text) != text:
        raise refused("must not contain a key or password: put the key into the environment")
    return text


def _secret_names(data: Any) -> bool:
    if isinstance(data, dict):
        return any(is_secret(name) or _secret_names(value) for name, value in data.items())
    return isinstance(data, list) and any(map(_secret_names, data))


def _is_body(text: str) -> str:
    if own := sorted(OWN_FIELDS & json.loads(text or "{}").keys()):
        raise refused(f"must not contain {', '.join(own)}: use the setting of that name, if there is one")
    return text


def _are_headers(text: str) -> str:
    for name, value in json.loads(text or "{}").items():
        if _CLOSED_HEADER.search(name):
            raise refused("must not contain a key, or a header that the connection itself sets")
        if not _HEADER.fullmatch(name) or not isinstance(value, str) or not value.isprintable():
            raise refused('must map names of headers to texts, such as {"X-Title": "order bias"}')
        if not value.isascii():
            raise refused("must be ASCII")
    return text


def _none(value: Any) -> Any:
    return None if isinstance(value, str) and value.strip().lower() == "none" else value


def _is_share(value: float | None) -> float | None:
    if value is not None and not 0 < value <= 1:
        raise refused(f"must be above 0 and at most 1, not {value:g}.")
    return value


Seed = Annotated[int | None, BeforeValidator(_none)]
Share = Annotated[float | None, BeforeValidator(_none), AfterValidator(_is_share)]
Body = Annotated[str, BeforeValidator(_as_object), AfterValidator(_is_body), AfterValidator(_holds_no_secret)]
Headers = Annotated[
    str, BeforeValidator(_as_object), AfterValidator(_are_headers), AfterValidator(_holds_no_secret)
]


class ConnectionSettings(AdapterSettings):
    base_url: Annotated[str, AfterValidator(_is_address)] = Field(
        "http://127.0.0.1:8080/v1", description="Base URL of the server's API."
    )
    model: str = Field("default", description="Name of the model on the server.")
    endpoint: Literal["chat", "completions", "ollama"] = Field(
        "chat",
        description="API to use. ollama: Ollama's own API, in which each request sets the context size.",
    )
    concurrency: int = Field(
        0,
        ge=0,
        description="Maximum number of concurrent requests; fewer while the server is busy. 0: 4 at first, up to 128 "
        "while answers do not slow down.",
    )
    timeout_s: float = Field(300.0, gt=0, description="Seconds until a request counts as lost.")
    retries: int = Field(5, ge=0, description="Number of times that a lost request is sent again.")
    pause_s: float = Field(0.5, ge=0, description="Seconds before the first retry; doubled each time.")
    patience_s: float = Field(
        600.0, ge=0, description="The run pauses after this many seconds without an answer."
    )
    requests_per_minute: float = Field(0.0, ge=0, description="Maximum number of requests; 0: no limit.")
    tokens_per_minute: float = Field(
        0.0, ge=0, description="Maximum of prompt and answer tokens; 0: no limit."
    )
    context: int = Field(32768, gt=0, description="The server's context in tokens, if known.")
    max_tokens: int = Field(300, gt=0, description="Maximum number of tokens in an answer.")
    temperature: float = Field(0.0, description="Sampling temperature; 0: always the likeliest token.")
    top_p: Share = Field(
        None, description="Total probability of the tokens to sample from; empty: the server's default."
    )
    seed: Seed = Field(0, description="Seed sent to the server; none: no seed is sent.")
    reasoning_effort: Literal["default", "none", "minimal", "low", "medium", "high"] = Field(
        "default", description="How long a model may think; default: not sent to the server."
    )
    extra_body: Body = Field("", description="Additional fields of a request, as a JSON object.")
    headers: Headers = Field("", description="Additional headers, as a JSON object; never a key.")
    price_in: float = Field(0.0, ge=0, description="Price of a million prompt tokens, in any currency.")
    price_out: float = Field(0.0, ge=0, description="Price of a million answer tokens, in the same currency.")
    max_cost: float = Field(
        0.0, ge=0, description="Cost at which the run pauses, by price_in and price_out; 0: no limit."
    )
    key_variable: Annotated[str, AfterValidator(_is_variable)] = Field(
        "",
        description="Environment variable with the key; empty: GOLDEVIDENCEBENCH_API_KEY, else OPENAI_API_KEY; none: "
        "no key.",
    )
    check_prompt: bool = Field(
        True,
        description="Check the server's prompt token counts. Set false if the counts omit cached tokens.",
    )
    probe: bool = Field(True, description="First ask one small question and check the server's context.")

    @property
    def at_first(self) -> int:
        return self.concurrency or FIRST_AT_A_TIME

    @property
    def rises(self) -> bool:
        """True if concurrency may grow. Not under a cost limit: pending requests would be paid beyond it."""
        return not self.concurrency and not self.max_cost

    def check(self) -> dict[str, list[str]]:
        """Problems that concern several settings: field -> messages."""
        if self.max_cost and not (self.price_in or self.price_out):
            return {"max_cost": ["needs price_in or price_out: without prices every cost is 0"]}
        return {}


def find_key(variable: str) -> str | None:
    """The key of a server, from the environment variable `variable`, or from KEY_VARIABLES if that is empty.

    Returns None without a key. Raises AdapterError if a given `variable` is not set, or the key is malformed.
    """
    if variable == NO_KEY:
        return None
    names = (variable,) if variable else KEY_VARIABLES
    name = next((name for name in names if os.environ.get(name, "").strip()), None)
    if name is None:
        if variable:  # not repeated here: it may have been taken for the key
            raise AdapterError("the environment variable that `key_variable` names is not set")
        return None
    if (key := usable_key(os.environ[name])) is None:
        where = "the environment variable that `key_variable` names" if variable else name
        raise AdapterError(
            f"the key in {where} contains characters that no key has, such as typographic quotes or a space: "
            "copy it again"
        )
    return key
