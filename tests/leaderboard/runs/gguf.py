"""The tiny model and the small version that runs are tested with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

#: Order bias in small: the same questions with the gold line at either end.
ORDERS = ("gold_first", "gold_last")
SMALL_ORDER_BIAS: dict[str, Any] = {
    "generator": {"episodes": 2, "steps": 24, "queries": 3, "keys": 4, "chapters": 2, "twins": False},
    "conditions": [{"k": 4, "order": order} for order in ORDERS],
}


def tiny_model(folder: Path, name: str = "tiny.gguf", **shape: Any) -> Path:
    """A real GGUF file in the models folder."""
    from tests.tiny_gguf import CHAT_TEMPLATE, write_tiny_gguf

    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_tiny_gguf(path, chat_template=CHAT_TEMPLATE, **shape)
