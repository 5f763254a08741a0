"""`llama_cpp`: a GGUF model in this process. A suite provides the prompts, answer forms, and parser of replies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from evaluation.adapters.base import Answer, Output, ShouldStop, Told
from evaluation.adapters.llama.language_model import LanguageModel, ModelSettings
from evaluation.adapters.prompt_sets import SetPrompts
from evaluation.core.records import Row

R = TypeVar("R", bound=Row)


class LlamaAdapter(ABC, Generic[R]):
    def __init__(self, settings: ModelSettings, prompts: SetPrompts) -> None:
        self._sent = prompts
        self.model = LanguageModel(settings)
        self.truncated_rows = 0

    @abstractmethod
    def predict_batch(self, rows: Sequence[R], *, protocol: str) -> Iterator[Answer]:
        """Yield the answers to the rows of one batch, in their order."""

    def suite_provenance(self) -> Mapping[str, object]:
        return {}

    def predict(self, row: R, *, protocol: str) -> Output:
        return dict(next(self.predict_batch([row], protocol=protocol)).output)

    def tell_reading(self, told: Told) -> None:
        self.model.tell_reading(told)

    def stop_when(self, should_stop: ShouldStop) -> None:
        self.model.stop_when(should_stop)

    def provenance(self) -> dict[str, object]:
        """Model, settings, library versions, and the number of rows whose text was cut."""
        own = self._sent.provenance() | {"truncated_rows": self.truncated_rows}
        return {**self.model.provenance(), **own, **self.suite_provenance()}

    def close(self) -> None:
        self.model.close()
