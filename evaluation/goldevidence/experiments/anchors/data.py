"""Makes the data sets of the published tables, and trains the selectors for them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

import orjson

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.goldevidence import generate
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.selectors import Selector, get_selector
from evaluation.goldevidence.selectors.export import ExportSettings, export
from evaluation.goldevidence.selectors.linear import train


class Dataset(NamedTuple):
    """Settings of a published data set: one episode per seed, direct questions, no twins."""

    title: str
    seeds: int
    config: GeneratorConfig


_SMALL = GeneratorConfig(
    episodes=1,
    steps=240,
    keys=10,
    queries=16,
    chapters=6,
    derived_query_rate=0.0,
    twins=False,
    distractor_profile="standard",
)
_KV = _SMALL.having(state_mode="kv", distractor_rate=0.7, clear_rate=0.01, tail_distractor_steps=80)
_KVC = _SMALL.having(state_mode="kv_commentary", note_rate=0.30)
#: Data sets of the tables of retrieval and selectors.
SELECTORS_DATA: dict[str, Dataset] = {
    "kv_ab_s3q16": Dataset("kv s3q16", 3, _KV),
    "kv_ab_s5q24": Dataset("kv s5q24", 5, _KV.having(steps=200, queries=24)),
    "kvc_s3q16": Dataset("kv_commentary s3q16", 3, _KVC),
    "kvc_s5q24": Dataset("kv_commentary s5q24", 5, _KVC.having(queries=24)),
}
_NOTES = SELECTORS_DATA["kvc_s5q24"]
_SNAPSHOT = GeneratorConfig(episodes=1, steps=150, queries=12, distractor_profile="instruction")

DATASETS: dict[str, Dataset] = {
    **SELECTORS_DATA,
    "kvc_s5q24_notes20": Dataset("kv_commentary s5q24, 20% NOTEs", 5, _NOTES.config.having(note_rate=0.2)),
    "kvc_s5q24_notes40": Dataset("kv_commentary s5q24, 40% NOTEs", 5, _NOTES.config.having(note_rate=0.4)),
    **{
        f"efficiency_{mode}": Dataset(f"{mode}, efficiency snapshot", 1, _SNAPSHOT.having(state_mode=mode))
        for mode in ("kv", "counter", "set", "relational")
    },
    # Training data: the rows of `goldevidencebench generate --seed 0`, and the same of kv_commentary.
    "training": Dataset("training", 1, GeneratorConfig()),
    "training_notes": Dataset("training, with NOTEs", 1, GeneratorConfig(state_mode="kv_commentary")),
}
#: Name -> the data set it is trained on and how its examples are exported, as the reference's README says.
TRAINED: Mapping[str, tuple[str, ExportSettings]] = {
    "linear": ("training", ExportSettings()),
    "linear_gold": ("training_notes", ExportSettings(use_gold_support=True)),
}


@cache
def rows_of(name: str) -> tuple[EpisodeRow, ...]:
    dataset = DATASETS[name]
    return tuple(row for seed in range(dataset.seeds) for row in generate(dataset.config, seed))


@cache
def selector_of(name: str) -> Selector:
    """Return a selector by name; selectors in TRAINED are trained first. Raises UnknownNameError."""
    if name not in TRAINED:
        return get_selector(name)
    data, settings = TRAINED[name]
    return train(export(rows_of(data), settings))


def fingerprint_of(name: str) -> str:
    """Return the SHA-256 of a data set's rows, which changes when the generator changes."""
    digest = hashlib.sha256()
    for row in rows_of(name):
        digest.update(orjson.dumps(row, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE))
    return digest.hexdigest()


def reference_rows(reference_dir: str | Path) -> Mapping[str, list[EpisodeRow]]:
    """Read the reference's rows with gold, by data set. Raises BenchmarkError if the folder has none."""
    manifest = manifest_in(reference_dir)
    datasets = orjson.loads(manifest.read_bytes())["retrieval"]["datasets"]
    return {
        name: [
            cast(EpisodeRow, row)
            for file in datasets[name]["files"]
            for row in jsonl.read(manifest.parent / file["data"])
        ]
        for name in SELECTORS_DATA
    }


def manifest_in(reference_dir: str | Path) -> Path:
    """Return the path of the manifest of the reference's data. Raises BenchmarkError if there is none."""
    for path in (Path(reference_dir) / "gold" / "manifest.json", Path(reference_dir) / "manifest.json"):
        if path.is_file():
            return path
    raise BenchmarkError(
        f"{reference_dir}: no gold/manifest.json here; name the folder of the reference data"
    )
