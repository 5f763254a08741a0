"""What is needed to repeat a sweep, beside its settings."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from evaluation import __version__
from evaluation.adapters.environment import PREFIX
from evaluation.core.secrets import without_secrets

#: Variables of other programs that change how a model computes.
OTHERS = ("OMP_NUM_THREADS", "GGML_N_THREADS", "CUDA_VISIBLE_DEVICES", "PYTHONHASHSEED")
_GIT_S = 5.0  # seconds that git may take


def environment(variables: Mapping[str, str] = os.environ, *, settings: bool = True) -> dict[str, str]:
    """The variables that are set and that figures may depend on, without secrets.

    Args:
        variables: All that there are.
        settings: Whether variables fill in settings that are left out.
    """
    chosen = {
        name: value
        for name, value in sorted(variables.items())
        if value and ((settings and name.startswith(PREFIX)) or name in OTHERS)
    }
    return without_secrets(chosen)


def about(command: str, variables: Mapping[str, str]) -> dict[str, Any]:
    """Versions, the machine, the environment, and what was typed.

    Args:
        command: The command line, without secrets; empty where there was none.
        variables: Of the environment, those that figures may depend on.
    """
    return {
        "engine": __version__,
        "commit": commit(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
        "environment": dict(variables),
        "command": command,
    }


@cache
def commit() -> str:
    """The commit of the checkout that runs, `+` behind it where files were changed; empty where there is none."""
    root = Path(__file__).resolve().parents[4]
    if not (root / ".git").exists():
        return ""
    name, changed = (
        _git(root, "rev-parse", "HEAD"),
        _git(root, "status", "--porcelain", "--untracked-files=no"),
    )
    return f"{name}+" if name and changed else name


def _git(root: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *words], capture_output=True, text=True, timeout=_GIT_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
