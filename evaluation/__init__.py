"""The benchmark engine: it generates, freezes, runs and grades benchmarks, in Python without Django.

The public API is `evaluation.door`, re-exported here. In an installed wheel, this package has the name
`goldevidencebench`. The command line is `goldevidencebench` (also `python -m evaluation`).
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.door import generate, grade, messages, read_version, verdict
    from evaluation.door.site import Site

__version__ = "0.2.0"
__all__ = ["Site", "generate", "grade", "messages", "read_version", "verdict"]


def __getattr__(name: str) -> Any:
    """Import a name of the public API on first use, so that `--help` needs neither numpy nor pydantic."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{'door.site' if name == 'Site' else 'door'}"), name)
