"""Mem0 (`mem0ai`) with `infer=False`: it keeps messages as they are, in Qdrant on disk, and finds them by embedding.

Its hybrid search needs spaCy's and FastEmbed's models, which are downloaded, and its extraction of facts a language
model: neither is used.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

os.environ["MEM0_TELEMETRY"] = "False"
os.environ.setdefault("OPENAI_API_KEY", "none")  # its default clients are made and never asked

from mem0 import Memory
from mem0.embeddings.base import EmbeddingBase

from evaluation.statebench.memory import MemoryContext, MemoryEvent, plain
from evaluation.statebench.records import Query
from tests.memories.recalled import DIMENSIONS, MOST, embed, in_budget

_USER = {"user_id": "timeline"}


class _Embedder(EmbeddingBase):  # type: ignore[misc]
    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return embed(text)


class Mem0Memory:
    """One Mem0 store in a folder of its own."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        store = {"path": f"{self._folder.name}/qdrant", "embedding_model_dims": DIMENSIONS, "on_disk": True}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": f"{self._folder.name}/history.db",
            }
        )
        self._memory.embedding_model = _Embedder()

    def ingest(self, event: MemoryEvent) -> None:
        """Add each line of the event as a message."""
        for line in plain(event):
            message = [{"role": "user", "content": line}]
            self._memory.add(message, user_id="timeline", infer=False, metadata={"index": event["index"]})

    def context(self, query: Query, budget: int) -> MemoryContext:
        """Search for the query."""
        found: list[dict[str, Any]] = self._memory.search(
            query["prompt"], top_k=MOST, filters=_USER, threshold=0.0
        )["results"]
        return in_budget(((one["metadata"]["index"], one["memory"]) for one in found), budget)

    def close(self) -> None:
        """Remove the store."""
        self._memory.close()
        self._folder.cleanup()
