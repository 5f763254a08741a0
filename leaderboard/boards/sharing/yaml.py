"""YAML in block style, of what JSON can say: texts and numbers are written as JSON, which YAML reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def dumps(value: Mapping[str, Any] | list[Any]) -> str:
    return "".join(f"{line}\n" for line in _lines(value))


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _entry(f"{name}:", part)
    else:
        for part in value:
            first, *rest = _lines(part) if isinstance(part, Mapping | list) else [_scalar(part)]
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)


def _entry(name: str, part: Any) -> Iterator[str]:
    if isinstance(part, Mapping | list):
        yield name
        yield from (f"  {line}" for line in _lines(part))
    else:
        yield f"{name} {_scalar(part)}"


def _scalar(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
