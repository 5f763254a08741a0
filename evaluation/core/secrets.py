"""Secrets kept out of what people read: messages, files beside results, logs.

A secret is what the environment holds under a secret's name, what looks like a token of this site or of a well-known
server, and the password in an address.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

HIDDEN = "(hidden)"
_SHORTEST = 6  # characters: shorter values of the environment are words that stand in any message
_NAME = re.compile(
    r"(?:^|[^a-z])(?:token|secret|password|passwd|passphrase|pwd|credentials?|bearer|authorization"
    r"|(?:api|access|auth|private|secret)[^a-z]?key)$",
    re.I,
)
_LOOKS = re.compile(
    r"\bgeb_[\w-]{6,}|\bsk-[\w*-]{6,}|\bhf_\w{6,}|\bgh[pousr]_\w{16,}|(?<=\bBearer )\S+|(?<=://)[^/\s@]+(?=@)",
    re.I,
)


def is_secret(name: str) -> bool:
    """Whether an option, a setting or a variable of that name holds a secret: `--api-key`, `hf_token`, `TOKEN`."""
    return _NAME.search(name.lstrip("-")) is not None


def redact(text: str, known: Iterable[str] = ()) -> str:
    """The text without secrets.

    Args:
        text: What somebody will read.
        known: Secrets to hide, beside those of the environment and what looks like one.
    """
    held = {value for name, value in os.environ.items() if is_secret(name) and len(value) >= _SHORTEST}
    for secret in sorted({*known, *held}, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return _LOOKS.sub(HIDDEN, text)


def without_secrets(settings: Mapping[str, str]) -> dict[str, str]:
    """Settings with the values of secrets hidden, for files and commands that others read."""
    return {name: HIDDEN if is_secret(name) else redact(value) for name, value in settings.items()}
