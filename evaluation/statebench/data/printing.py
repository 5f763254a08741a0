"""Printed form of a value in a context: a text verbatim, null as `none`, any other value as JSON."""

from __future__ import annotations

import json

NOTHING = "none"


def as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    return NOTHING if value is None else json.dumps(value, ensure_ascii=False, default=str)
