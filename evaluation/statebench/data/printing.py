"""How a value is printed in a context: text as it is, any other value as JSON, null as `none`."""

from __future__ import annotations

import json

NOTHING = "none"


def as_text(value: object) -> str:
    """The text of a JSON value.

    Args:
        value: The value; text is kept as it is, and null is `NOTHING`.
    """
    if isinstance(value, str):
        return value
    return NOTHING if value is None else json.dumps(value, ensure_ascii=False, default=str)
