"""`llama_cpp`: a GGUF model in this process. A suite gives prompts, the form of an answer, and the use of a reply."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from evaluation.adapters.base import Answer, Output, ShouldStop
from evaluation.adapters.llama.language_model import LanguageModel, ModelSettings
from evaluation.adapters.prompt_sets import SetPrompts
from evaluation.core.records import Row

R = TypeVar("R", bound=Row)


class LlamaAdapter(ABC, Generic[R]):
    """One GGUF model under test."""

    def __init__(self, settings: ModelSettings, prompts: SetPrompts) -> None:
        self._sent = prompts
        self.model = LanguageModel(settings)
        self.truncated_rows = 0

    @abstractmethod
    def predict_batch(self, rows: Sequence[R], *, protocol: str) -> Iterator[Answer]:
        """The answers of one batch, in its order."""

    def told(self) -> Mapping[str, object]:
        """What the suite adds to the provenance."""
        return {}

    def predict(self, row: R, *, protocol: str) -> Output:
        """The answer to one row."""
        return dict(next(self.predict_batch([row], protocol=protocol)).output)

    def stop_when(self, should_stop: ShouldStop) -> None:
        """Ask `should_stop` while the model computes."""
        self.model.stop_when(should_stop)

    def provenance(self) -> dict[str, object]:
        """The model, its settings and builds, and how many prompts had to be cut."""
        own = self._sent.provenance() | {"truncated_rows": self.truncated_rows}
        return {**self.model.provenance(), **own, **self.told()}

    def close(self) -> None:
        """Free the model."""
        self.model.close()
