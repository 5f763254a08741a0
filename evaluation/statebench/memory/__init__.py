"""Memory systems, which receive a timeline event by event and return contexts for queries (see `protocol`)."""

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
    """Return a factory of empty memories for a `module:Class`, the address of a server, or the name of a strategy.

    The class takes no arguments, and modules in the working folder are found too. `seconds` limits each HTTP answer.
    Raises UnknownNameError, AdapterError if the class cannot be loaded, AddressError for an invalid address.
    """
    if name.startswith(("http://", "https://")):
        return memories_at(name, seconds=seconds)
    if name in STRATEGIES:
        return partial(StrategyMemory, name)
    return cast(MakeMemory, find_factory(name, dict.fromkeys(STRATEGIES, ""), kind="memory"))
