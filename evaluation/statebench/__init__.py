"""StateBench: state-based context, its strategies, grading and conformance. This is the public door."""

from evaluation.statebench.conformance.suite import run_conformance
from evaluation.statebench.context.replay import detect
from evaluation.statebench.grading.grade import grade_files
from evaluation.statebench.strategies.registry import build_context

__all__ = ["build_context", "detect", "grade_files", "run_conformance"]
