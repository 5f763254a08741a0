"""Reads the published tables with their settings, and the descriptions of other benchmarks with their sources."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

PACKAGE = "evaluation.goldevidence.experiments.anchors"
#: System of the rows in which a language model chooses.
LANGUAGE_MODEL = "llm"
Expected = Literal["reproduced", "differs", "needs_model", "not_tried"]


class Run(NamedTuple):
    """Settings of the run whose figures stand in one row of a published table."""

    data: str  # a data set of `data.DATASETS`
    system: str  # a selector, a trained one of `training.TRAINED`, a baseline, or LANGUAGE_MODEL
    k: int = 4
    order: str | None = None  # None: by rising step
    gate: bool = False  # the authority filter
    spoof_rate: float = 0.0
    retriever: str = "key"
    protocol: str = ""  # for a baseline


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


class Source(_Record):
    title: str
    address: str


class PublishedTable(_Record):
    """A table of figures as published. The first `labels` columns label the row; the others are figures."""

    id: str
    title: str
    section: str
    caption: str
    source: str
    columns: tuple[str, ...]
    labels: int
    rows: tuple[tuple[str, ...], ...]
    run: dict[str, Any]  # fields of Run that all rows share
    vary: dict[str, str] = {}  # label column -> the field of Run that it sets
    values: dict[str, str] = {}  # label -> value, if they differ
    model: str = ""  # the language model, if any
    model_columns: tuple[str, ...] = ()  # figures of the model also in rows where a rule chooses
    ran: str  # in words
    expect: Expected | tuple[Expected, ...]  # for all rows, or row by row
    why: str = ""  # why rows differ, or were not tried
    #: Settings that differ when its model figures are run here (`commands`): seeds, steps, system.
    here: dict[str, Any] = {}

    @property
    def figures(self) -> tuple[str, ...]:
        return self.columns[self.labels :]

    def expected(self, row: int) -> Expected:
        return self.expect if isinstance(self.expect, str) else self.expect[row]

    def run_of(self, row: tuple[str, ...]) -> Run:
        labels = dict(zip(self.columns, row[: self.labels], strict=False))
        varied = {field: self.values.get(labels[name], labels[name]) for name, field in self.vary.items()}
        return Run(**self.run | {field: _typed(field, value) for field, value in varied.items()})

    def of_model(self, row: tuple[str, ...]) -> frozenset[str]:
        asked = self.run_of(row).system == LANGUAGE_MODEL
        return frozenset(self.figures if asked else self.model_columns)


class ExternalAnchor(_Record):
    """Another benchmark: what it measures, and what GoldEvidenceBench adds to it."""

    name: str
    kind: str
    measures: str
    unit: str
    lengths: str
    adds: str
    title: str
    authors: str
    year: int | None = None
    source: str  # an address


@cache
def published() -> tuple[PublishedTable, ...]:
    return tuple(PublishedTable.model_validate(each) for each in _read("published.json")["tables"])


@cache
def published_rows(table: str) -> list[Any]:
    """Return the rows of a published table: system, data set, authority filter (only if it matters), figures.

    The figures of the table `selection_value` are selection rate and value accuracy. Those of `gold_present` are the
    shares of questions whose gold line is retrieved with k = 2, 4 and 8; of equal scores the earliest line ranks first.
    """
    rows: list[Any] = _read("published.json")[table]
    return rows


@cache
def sources() -> dict[str, Source]:
    return {name: Source.model_validate(each) for name, each in _read("published.json")["sources"].items()}


@cache
def external() -> tuple[ExternalAnchor, ...]:
    return tuple(ExternalAnchor.model_validate(each) for each in _read("external.json"))


def _read(name: str) -> Any:
    return json.loads(files(PACKAGE).joinpath(name).read_text(encoding="utf-8"))


def _typed(field: str, value: str) -> Any:
    match field:
        case "k":
            return int(value)
        case "spoof_rate":
            return float(value)
        case "gate":
            return value == "on"
    return value
