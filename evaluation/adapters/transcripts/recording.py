"""The recorder of a run. Code that asks a model notifies it, so that adapters need not pass exchanges on.

The recorder is a context variable: two runs in one process have separate recorders, and each thread of a run must be
started in a copy of the run's context.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from evaluation.adapters.transcripts.record import Exchange


class Recorder(Protocol):
    """Receives prompts and replies. `needs_model` is False if prompts are built but no model is asked."""

    needs_model: bool

    def asked(self, name: str, system: str, user: str) -> None:
        """Called before a model is asked about `name`, such as a row id. An exception prevents the request."""

    def replied(self, name: str, exchange: Exchange) -> None:
        """Called after a model was asked, with the possibly empty reply."""


class Exchanges:
    """Stores the last exchange with a model about each of the rows `row_ids`. Ignores other exchanges."""

    needs_model = True

    def __init__(self, row_ids: Collection[str]) -> None:
        self._row_ids = row_ids
        self._last: dict[str, Exchange] = {}

    def asked(self, name: str, system: str, user: str) -> None:
        """Does nothing: the exchange is recorded with its reply."""

    def replied(self, name: str, exchange: Exchange) -> None:
        if name in self._row_ids:
            self._last[name] = exchange

    def take(self, row_id: str) -> Exchange | None:
        return self._last.pop(row_id, None)


_recorder: ContextVar[Recorder | None] = ContextVar("recorder", default=None)


@contextmanager
def recording(recorder: Recorder | None) -> Iterator[None]:
    """Notify `recorder`, if it is not None, of all requests to models in this block."""
    token = _recorder.set(recorder)
    try:
        yield
    finally:
        _recorder.reset(token)


def models_are_needed() -> bool:
    """False if prompts are only built and no model will be asked."""
    recorder = _recorder.get()
    return recorder is None or recorder.needs_model


def tell_asked(name: str, system: str, user: str) -> None:
    if (recorder := _recorder.get()) is not None:
        recorder.asked(name, system, user)


def tell_replied(name: str, exchange: Exchange) -> None:
    if (recorder := _recorder.get()) is not None:
        recorder.replied(name, exchange)
