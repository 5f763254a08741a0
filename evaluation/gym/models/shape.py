"""The sizes of a network."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    size: int = 64
    heads: int = 4
    layers: int = 3
    inner: int = 128
    base: float = 100.0  # of the rotary frequencies: prompts are short

    @property
    def head(self) -> int:
        return self.size // self.heads
