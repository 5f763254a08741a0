"""Share loaded models between adapters that run one after another: `shared_engines()` loads each file once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from evaluation.adapters.llama.engine import Engine

_engines: ContextVar[dict[Hashable, Engine] | None] = ContextVar("engines", default=None)


@contextmanager
def shared_engines() -> Iterator[None]:
    """Share engines that are opened with the same settings in this block, and close them at its end."""
    # in a nested block the outer one owns the engines
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
    """The shared engine with this key (model and options). If there is none, a new engine from `open_engine`."""
    if (engines := _engines.get()) is None:
        return open_engine()
    if key not in engines:
        engines[key] = open_engine()
    return engines[key]


def release(engine: Engine) -> None:
    """Close an engine unless it is shared."""
    if engine not in (_engines.get() or {}).values():
        engine.close()
