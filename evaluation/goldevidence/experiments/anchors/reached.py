"""Reads `reached.json`: scores of known systems on the presets. `make anchors` writes this file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from evaluation.core import jsonl
from evaluation.core.plugin.reached import Reached
from evaluation.goldevidence.experiments.anchors.records import PACKAGE
from evaluation.goldevidence.presets import Settings

FILE = "reached.json"
#: Settings in which a version may differ from its preset and still ask the same questions.
DRAWN = ("seeds", "key", "public_gold")
_TABLES = TypeAdapter(tuple[Reached, ...])


def settings_sha256(settings: Mapping[str, object]) -> str:
    """Return the SHA-256 of settings, without those drawn anew per version, such as seeds. Raises SettingsError."""
    known = Settings.from_json(settings).as_json()
    return hashlib.sha256(jsonl.dumps({name: known[name] for name in known if name not in DRAWN})).hexdigest()


@cache
def reached() -> tuple[Reached, ...]:
    """Return the stored scores, preset by preset; empty if the file has no scores yet."""
    file = files(PACKAGE).joinpath(FILE)
    return _TABLES.validate_json(file.read_bytes()) if file.is_file() else ()


def reached_under(settings: Mapping[str, object]) -> Reached | None:
    """Return the scores on the preset with these settings (seeds ignored), or None. Raises SettingsError."""
    wanted = settings_sha256(settings)
    return next((each for each in reached() if each.settings_sha256 == wanted), None)


def as_text(tables: Iterable[Reached]) -> str:
    return "[\n{}\n]\n".format(",\n".join(map(_written, tables)))


def _written(table: Reached) -> str:
    known = asdict(table)
    systems = known.pop("systems")
    lines = ",\n".join(f"  {json.dumps(each, ensure_ascii=False)}" for each in systems)
    return f'{json.dumps(known, ensure_ascii=False)[:-1]}, "systems": [\n{lines}\n ]}}'
