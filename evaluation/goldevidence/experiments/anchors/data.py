"""The data sets of the published tables, and the selectors that are trained for them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache

import orjson

from evaluation.goldevidence.experiments.published import DATASETS as SELECTORS_DATA
from evaluation.goldevidence.experiments.published import Dataset
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.episodes import generate_units
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.selectors import Selector, get_selector
from evaluation.goldevidence.selectors.export import ExportSettings, export
from evaluation.goldevidence.selectors.linear import train

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
    # What `goldevidencebench generate --seed 0` writes, and the same of kv_commentary: to train on.
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
    """The rows of a data set, as our generator makes them."""
    dataset = DATASETS[name]
    return tuple(row for seed in range(dataset.seeds) for row in _episodes(dataset.config, seed))


def _episodes(config: GeneratorConfig, seed: int) -> Iterator[EpisodeRow]:
    for unit in generate_units(config, seed):
        yield from unit.rows


@cache
def selector_of(name: str) -> Selector:
    """A selector by name; one of TRAINED is trained here. Raises UnknownNameError."""
    if name not in TRAINED:
        return get_selector(name)
    data, settings = TRAINED[name]
    return train(export(rows_of(data), settings))


def fingerprint_of(name: str) -> str:
    """The SHA-256 of a data set's rows, one line each: another generator gives another."""
    digest = hashlib.sha256()
    for row in rows_of(name):
        digest.update(orjson.dumps(row, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE))
    return digest.hexdigest()
