"""Rows as flat JSON lines: the two long texts that an episode's rows share are encoded only once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from evaluation.core import jsonl


def write(path: str | Path, rows: Iterable[dict[str, Any]]) -> int:
    """`jsonl.write`, same bytes, faster where rows that share a text follow each other."""
    return jsonl.write(path, map(_spliced, rows))


def _spliced(row: dict[str, Any]) -> dict[str, Any]:
    return row | {name: _literal(row[name]) for name in ("document", "book") if name in row}


@lru_cache(maxsize=4)
def _literal(text: str) -> orjson.Fragment:
    return orjson.Fragment(orjson.dumps(text))
