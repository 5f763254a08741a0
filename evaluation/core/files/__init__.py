"""Files of rows and predictions. `open_version_files` opens them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.core.files.version_files import open_version_files

__all__ = ["open_version_files"]


def __getattr__(name: str) -> Any:
    """Import on first use: the function needs numpy, the other modules of the folder do not."""
    if name == "open_version_files":
        from evaluation.core.files.version_files import open_version_files

        return open_version_files
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
