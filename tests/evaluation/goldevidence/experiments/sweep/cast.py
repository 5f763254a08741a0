"""Small grids for the tests of sweeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluation.goldevidence.experiments.sweep import Contestant, Grid
from evaluation.goldevidence.generator.config import GeneratorConfig
from tests.tiny_gguf import CHAT_TEMPLATE, write_tiny_gguf

CONFIG = GeneratorConfig(episodes=1, queries=4, chapters=3, keys=5, twins=False, derived_query_rate=0.0)
OWN = """
class Own:
    def __init__(self):
        self.seen = []

    def predict(self, row, *, protocol):
        with open("seen.txt", "a") as out:
            print(protocol, *sorted(row), sep=",", file=out)
        return {"value": None, "support_ids": []}


def create_adapter():
    return Own()
"""


def systems(*names: str) -> list[Contestant]:
    """Deterministic systems."""
    return [Contestant.system(name) for name in names]


def grid(*names: str, **settings: Any) -> Grid:
    """A grid of one or two cells."""
    return Grid(systems(*(names or ("ledger",))), **{"config": CONFIG, "steps": (24,)} | settings)


def tiny_model(folder: Path, *, seed: int = 0) -> Path:
    """A model whose answers end after a few tokens."""
    return write_tiny_gguf(folder / "tiny.gguf", chat_template=CHAT_TEMPLATE, terse=True, seed=seed)
