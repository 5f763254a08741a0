"""The deterministic systems that anyone can run: baselines, selectors, retrievers.

`SYSTEMS[name].build()` returns an object with `predict(row) -> {"id", "value", "support_ids"}`; those with a selector
add its choice, `selected_uid`. None looks at gold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from evaluation.core.errors import UnknownNameError
from evaluation.goldevidence.retrieval import EARLIEST, LATEST
from evaluation.goldevidence.selectors import get_selector
from evaluation.goldevidence.systems.pipeline import Pipeline

Row = dict[str, Any]


class System(Protocol):
    """Something that answers a row."""

    def predict(self, row: Row, *, protocol: str = "closed_book") -> Row:
        """`{"id", "value", "support_ids"}`"""


@dataclass(frozen=True, slots=True)
class SystemSpec:
    """A named system. `kind` is baseline, selector or retriever."""

    name: str
    kind: str
    description: str
    build: Callable[[], System]


def _selector(name: str, description: str, *, selector: str = "", gate: bool = False) -> SystemSpec:
    return SystemSpec(
        name, "selector", description, lambda: Pipeline(get_selector(selector or name), gate=gate)
    )


def _retriever(name: str, description: str, *, retriever: str, ties: str = LATEST) -> SystemSpec:
    return SystemSpec(
        f"{name}+latest_step",
        "retriever",
        description,
        lambda: Pipeline(
            get_selector("latest_step"), retriever=retriever, ties=ties, gate=True, same_key=True
        ),
    )


def _baseline(name: str, description: str) -> SystemSpec:
    def build() -> System:
        from evaluation.goldevidence.systems.baselines import get_baseline

        return get_baseline(name)

    return SystemSpec(name, "baseline", description, build)


_SPECS = (
    _baseline(
        "naive",
        "Takes the last colour (`jade-0002`) written beside the key anywhere in the text, traps included. "
        "It cannot read the values of other modes, as the reference's cannot.",
    ),
    _baseline("ledger", "Replays the ledger's authoritative lines: the upper bound."),
    _selector("positional_first", "Always the first line shown.", selector="first_shown"),
    _selector("positional_last", "Always the last line shown.", selector="last_occurrence"),
    _selector("last_occurrence", "The last line that occurs, the usual reading of an ordered log."),
    _selector("latest_step", "The greatest step, NOTEs included."),
    _selector("prefer_set_latest", "The latest SET; overlooks a CLEAR."),
    _selector("prefer_update_latest", "The latest line that is no NOTE."),
    _selector("linear", "A linear model over 18 features, trained on the gold lines."),
    _selector(
        "note_citing", "The latest NOTE where there is one: made to fail the gate.", selector="latest_note"
    ),
    _selector(
        "latest_step+gate",
        "The greatest step behind the authority filter; abstains when no line has authority.",
        selector="latest_step",
        gate=True,
    ),
    _selector("linear+gate", "The linear model behind the authority filter.", selector="linear", gate=True),
    _retriever("bm25", "BM25 over the gated ledger (k=8), then the key's greatest step.", retriever="bm25"),
    _retriever(
        "tfidf", "TF-IDF over the gated ledger (k=8), then the key's greatest step.", retriever="tfidf"
    ),
    _retriever("bm25_earliest", "BM25 with ties broken earliest first.", retriever="bm25", ties=EARLIEST),
    _retriever("tfidf_earliest", "TF-IDF with ties broken earliest first.", retriever="tfidf", ties=EARLIEST),
    _retriever("dense", "Embeddings of a local GGUF (k=8), then the key's greatest step.", retriever="dense"),
)
SYSTEMS: dict[str, SystemSpec] = {spec.name: spec for spec in _SPECS}


def get_system(name: str) -> SystemSpec:
    """The system of that name. Raises UnknownNameError naming the nearest match."""
    if name not in SYSTEMS:
        raise UnknownNameError("system", name, SYSTEMS)
    return SYSTEMS[name]
