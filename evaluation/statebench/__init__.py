"""StateBench: build contexts, detect superseded facts, grade responses and check conformance. Public entry points."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.statebench.conformance.suite import run_conformance
    from evaluation.statebench.context.replay import detect
    from evaluation.statebench.grading.grade import grade_files
    from evaluation.statebench.strategies.registry import build_context

__all__ = ["build_context", "detect", "grade_files", "run_conformance"]
#: Public name -> module, imported on first use because grading and conformance load slowly.
_OFFERED = {
    "build_context": "evaluation.statebench.strategies.registry",
    "detect": "evaluation.statebench.context.replay",
    "grade_files": "evaluation.statebench.grading.grade",
    "run_conformance": "evaluation.statebench.conformance.suite",
}


def __getattr__(name: str) -> Any:
    if name in _OFFERED:
        return getattr(import_module(_OFFERED[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
