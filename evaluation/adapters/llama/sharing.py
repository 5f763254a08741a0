"""Models that several adapters run one after another: within `shared_engines()` each file is loaded once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from evaluation.adapters.llama.engine import Engine

_engines: ContextVar[dict[Hashable, Engine] | None] = ContextVar("engines", default=None)


@contextmanager
def shared_engines() -> Iterator[None]:
    """Engines that are opened with the same settings within are one; it is closed at the end, and not before.

    Within another `shared_engines()` this is nothing: the end is that of the outer one.
    """
    if _engines.get() is not None:
        yield
        return
    engines: dict[Hashable, Engine] = {}
    token = _engines.set(engines)
    try:
        yield
    finally:
        _engines.reset(token)
        for engine in engines.values():
            engine.close()


def engine_for(key: Hashable, open_engine: Callable[[], Engine]) -> Engine:
    """The engine that is open under a key, else a new one.

    Args:
        key: All that it is opened with.
        open_engine: Opens one.
    """
    if (engines := _engines.get()) is None:
        return open_engine()
    if key not in engines:
        engines[key] = open_engine()
    return engines[key]


def release(engine: Engine) -> None:
    """Close an engine that is not shared."""
    if engine not in (_engines.get() or {}).values():
        engine.close()
