"""Keep secrets out of messages, result files and logs.

Secrets are values of environment variables with a secret's name, texts that look like tokens of this site or a
well-known server, and passwords in URLs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

HIDDEN = "(hidden)"
_SHORTEST = 6  # shorter values are ordinary words, which hiding would garble in any message
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
    """True if the name of an option, setting or variable suggests a secret: `--api-key`, `hf_token`, `TOKEN`."""
    return _NAME.search(name.lstrip("-")) is not None


def redact(text: str, known: Iterable[str] = ()) -> str:
    """Replace `known` secrets, secrets in the environment, and texts that look like secrets by `(hidden)`."""
    held = {value for name, value in os.environ.items() if is_secret(name) and len(value) >= _SHORTEST}
    # longest first: one secret may contain another
    for secret in sorted({*known, *held}, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return _LOOKS.sub(HIDDEN, text)


def without_secrets(settings: Mapping[str, str]) -> dict[str, str]:
    return {name: HIDDEN if is_secret(name) else redact(value) for name, value in settings.items()}
