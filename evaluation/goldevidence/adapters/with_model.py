"""A system that may have a model: what the runner asks of it goes on to the model, if there is one."""

from __future__ import annotations

from typing import Any

from evaluation.adapters.base import ShouldStop
from evaluation.goldevidence.adapters.llama_cpp import EpisodeLlamaAdapter


class WithModel:
    """The optional parts of the contract, for a system that sets `_llama`."""

    _llama: EpisodeLlamaAdapter | None

    def stop_when(self, should_stop: ShouldStop) -> None:
        """Ask `should_stop` while the model computes."""
        if self._llama is not None:
            self._llama.stop_when(should_stop)

    def provenance(self) -> dict[str, Any]:
        """The model's, where there is one."""
        return {} if self._llama is None else self._llama.provenance()

    def close(self) -> None:
        """Free the model."""
        if self._llama is not None:
            self._llama.close()
