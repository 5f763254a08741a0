"""Rebuild the prompt of a row: transcripts contain only hashes of prompts, which are too long to store for each row.

The system is built and given the row as in a run. Its question to the model is intercepted, so that no model is asked
or loaded (`llama.no_engine`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from evaluation.adapters.base import Adapter
from evaluation.adapters.kinds import RowKind, TwoPhaseKind, reading
from evaluation.adapters.transcripts.record import Exchange, prompt_sha256
from evaluation.adapters.transcripts.recording import recording
from evaluation.core.errors import BenchmarkError
from evaluation.core.records import Row


class PromptError(BenchmarkError):
    """The prompt of a row cannot be rebuilt."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """System and user turn of a prompt, without a chat template."""

    system: str
    user: str

    @property
    def sha256(self) -> str:
        return prompt_sha256(self.system, self.user)


class _Caught(BaseException):
    """Raised when the prompt is intercepted. As a BaseException, it passes through `except Exception` of a system."""


class _Catcher:
    def __init__(self, row_id: str, *, needs_model: bool) -> None:
        self.needs_model = needs_model
        self._row_id = row_id
        self.prompt: Prompt | None = None

    def asked(self, name: str, system: str, user: str) -> None:
        """Store the prompt and raise _Caught. Raises PromptError if the question is not about the row itself."""
        if name != self._row_id:
            raise PromptError(
                "its prompt contains earlier model output and can only be rebuilt by running the model again"
            )
        self.prompt = Prompt(system, user)
        raise _Caught

    def replied(self, name: str, exchange: Exchange) -> None:
        """Does nothing, as no model replies."""


def rebuilt_prompt(
    question: Row,
    *,
    load: Callable[[], Adapter],
    kind: RowKind,
    protocol: str | None,
    expected_sha256: str,
    artifacts: Mapping[str, str] = MappingProxyType({}),
    with_model: bool = False,
) -> Prompt:
    """Rebuild the prompt of a row, for a system that `load` builds with the settings of the run.

    `with_model` loads a local model, to cut long texts by its own tokens. Raises PromptError if the hash differs, the
    prompt contains earlier model output, or the row asks no model; BenchmarkError if the system cannot be built.
    """
    catcher = _Catcher(question["id"], needs_model=with_model)
    with recording(catcher):
        adapter = load()
        try:
            _ask(adapter, question, kind, protocol, artifacts)
        except _Caught:
            pass
        finally:
            getattr(adapter, "close", lambda: None)()
    if catcher.prompt is None:
        raise PromptError("no model is asked about this row")
    # a prompt that only resembles the one sent must not be shown
    if catcher.prompt.sha256 != expected_sha256:
        raise PromptError(
            "the rebuilt prompt differs from the one sent: the wording or the row has changed since, or the text "
            "was cut by counting the model's tokens"
        )
    return catcher.prompt


def _ask(
    adapter: Adapter, question: Row, kind: RowKind, protocol: str | None, artifacts: Mapping[str, str]
) -> None:
    told = reading(kind, [question], protocol)
    if isinstance(kind, TwoPhaseKind):
        [question] = kind.built(
            [question], adapter, artifacts, on_artifact=lambda _id, _text: None, should_stop=lambda: False
        )
    adapter.predict(kind.preparation(adapter, told)(question), protocol=told)
