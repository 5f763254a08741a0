"""Memory systems: a memory receives a timeline event by event and returns contexts (`protocol`)."""

from __future__ import annotations

from functools import partial
from typing import cast

from evaluation.adapters.registry import find_factory
from evaluation.statebench.memory.asking import Recalled, recall
from evaluation.statebench.memory.protocol import MakeMemory, Memory, MemoryContext, MemoryEvent, plain
from evaluation.statebench.memory.remote import memories_at, served
from evaluation.statebench.memory.strategies import StrategyMemory
from evaluation.statebench.strategies import STRATEGIES

__all__ = [
    "MakeMemory",
    "Memory",
    "MemoryContext",
    "MemoryEvent",
    "Recalled",
    "find_memory",
    "memories_at",
    "plain",
    "recall",
    "served",
]


def find_memory(name: str, *, seconds: float = 30.0) -> MakeMemory:
    """Factory of empty memories for `name`: a `module:Class` without arguments, an address, or a strategy.

    Modules in the working folder are found too; `seconds` limits an answer over HTTP. Raises UnknownNameError,
    AdapterError if the class cannot be loaded, AddressError for an invalid address.
    """
    if name.startswith(("http://", "https://")):
        return memories_at(name, seconds=seconds)
    if name in STRATEGIES:
        return partial(StrategyMemory, name)
    return cast(MakeMemory, find_factory(name, dict.fromkeys(STRATEGIES, ""), kind="memory"))
