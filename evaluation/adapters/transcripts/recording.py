"""Who asks a model tells the recorder of the run, if there is one. So no adapter has to hand an exchange on.

The recorder belongs to the context (`contextvars`): two runs in one process keep theirs apart, and threads that a run
starts have to be started in a copy of its context.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from evaluation.adapters.transcripts.record import Exchange


class Recorder(Protocol):
    """Is told of what is asked. `needs_model` is false where nothing is to be asked in earnest."""

    needs_model: bool

    def asked(self, name: str, system: str, user: str) -> None:
        """Before a model is asked. What it raises ends the asking.

        Args:
            name: What is asked about: the id of a row, or something else.
            system: The system prompt.
            user: The user's turn.
        """

    def replied(self, name: str, exchange: Exchange) -> None:
        """After a model was asked.

        Args:
            name: As of `asked`.
            exchange: What came back, be it nothing.
        """


class Exchanges:
    """The last exchange about each row that is under way. What is asked about no row of the run is left out."""

    needs_model = True

    def __init__(self, row_ids: Collection[str]) -> None:
        self._row_ids = row_ids
        self._last: dict[str, Exchange] = {}

    def asked(self, name: str, system: str, user: str) -> None:
        """Nothing: what counts is the reply."""

    def replied(self, name: str, exchange: Exchange) -> None:
        """Keep it until the row is saved."""
        if name in self._row_ids:
            self._last[name] = exchange

    def take(self, row_id: str) -> Exchange | None:
        """What was exchanged about a row, once; None where no model was asked about it."""
        return self._last.pop(row_id, None)


_recorder: ContextVar[Recorder | None] = ContextVar("recorder", default=None)


@contextmanager
def recording(recorder: Recorder | None) -> Iterator[None]:
    """Have a recorder told of what is asked within the block.

    Args:
        recorder: None for nobody.
    """
    token = _recorder.set(recorder)
    try:
        yield
    finally:
        _recorder.reset(token)


def models_are_needed() -> bool:
    """Whether a model is going to be asked; false where only its prompts are made."""
    recorder = _recorder.get()
    return recorder is None or recorder.needs_model


def tell_asked(name: str, system: str, user: str) -> None:
    """Tell the recorder what a model is about to be asked; see `Recorder.asked`.

    Args:
        name: What is asked about.
        system: The system prompt.
        user: The user's turn.
    """
    if (recorder := _recorder.get()) is not None:
        recorder.asked(name, system, user)


def tell_replied(name: str, exchange: Exchange) -> None:
    """Tell the recorder what came back; see `Recorder.replied`.

    Args:
        name: What was asked about.
        exchange: What came back.
    """
    if (recorder := _recorder.get()) is not None:
        recorder.replied(name, exchange)
