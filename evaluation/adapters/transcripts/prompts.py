"""The prompt of a row, made anew: prompts are too long to be kept row by row, and their hashes are kept.

The system is built and handed the row as in a run; what it is about to ask is caught, and nobody is asked. A model that
runs here is not even loaded: every text then fits (`llama.no_engine`).
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
    """The prompt of a row cannot be made anew as it was."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The two turns that a model was asked with, before its chat template wraps them."""

    system: str
    user: str

    @property
    def sha256(self) -> str:
        """What a transcript calls it by."""
        return prompt_sha256(self.system, self.user)


class _Caught(BaseException):
    """Ends the asking. No `except Exception` of a system takes it for a failure."""


class _Catcher:
    """A recorder that keeps the first prompt about a row and has nobody asked."""

    def __init__(self, row_id: str, *, needs_model: bool) -> None:
        self.needs_model = needs_model
        self._row_id = row_id
        self.prompt: Prompt | None = None

    def asked(self, name: str, system: str, user: str) -> None:
        """Keep it, and go no further. What a model wrote before is not there to be shown to it again."""
        if name != self._row_id:
            raise PromptError(
                "its prompt holds what the model wrote before, which only another run would tell"
            )
        self.prompt = Prompt(system, user)
        raise _Caught

    def replied(self, name: str, exchange: Exchange) -> None:
        """Nobody is asked."""


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
    """The prompt that a row was asked with.

    Args:
        question: One of `kind.questions`.
        load: Builds the system with the settings of the run.
        kind: Of the row.
        protocol: What of a row may be read; None for what the row says.
        expected_sha256: What the prompt has to hash to.
        artifacts: What the system built first, by episode, where it did.
        with_model: Whether a model that runs here is loaded, to cut long texts by its own tokens as the run did.

    Returns:
        The prompt, whose hash is the expected one.

    Raises:
        PromptError: It is another one by now, holds what the model wrote before, or the row asks no model.
        BenchmarkError: The system cannot be built.
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
    if catcher.prompt.sha256 != expected_sha256:
        raise PromptError(
            "its prompt would be another one now: the wording or the row has changed since, or the text was cut "
            "by the tokens of the model"
        )
    return catcher.prompt


def _ask(
    adapter: Adapter, question: Row, kind: RowKind, protocol: str | None, artifacts: Mapping[str, str]
) -> None:
    """Hand a system one row as the runner does."""
    told = reading(kind, [question], protocol)
    if isinstance(kind, TwoPhaseKind):
        [question] = kind.built(
            [question], adapter, artifacts, on_artifact=lambda _id, _text: None, should_stop=lambda: False
        )
    adapter.predict(kind.preparation(adapter, told)(question), protocol=told)
