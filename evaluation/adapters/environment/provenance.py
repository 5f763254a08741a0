"""Data needed to repeat a run or a sweep, apart from its settings."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from evaluation import __version__
from evaluation.adapters.environment.reference import PREFIX
from evaluation.core.secrets import without_secrets

#: Variables of other programs that change how a model computes.
OTHERS = ("OMP_NUM_THREADS", "GGML_N_THREADS", "CUDA_VISIBLE_DEVICES", "PYTHONHASHSEED")
#: Variables in the `env` of the reference's runs.
OF_RUNS = (f"{PREFIX}MODEL", f"{PREFIX}REQUIRE_CITATIONS")
_OID = "# branch.oid "  # git's line with the commit
_GIT_S = 5.0  # timeout of git in seconds


def environment(variables: Mapping[str, str] = os.environ, *, settings: bool = True) -> dict[str, str]:
    """Environment variables that may affect results, without secrets. `settings`: include variables with our prefix."""
    chosen = {
        name: value
        for name, value in sorted(variables.items())
        if value and ((settings and name.startswith(PREFIX)) or name in OTHERS)
    }
    return without_secrets(chosen)


def run_environment(*, settings: bool = True) -> dict[str, str | None]:
    """The `env` field of a run: `environment()` and all variables in OF_RUNS. A variable that is not set is None."""
    return dict.fromkeys(OF_RUNS) | environment(settings=settings)


def about(command: str, variables: Mapping[str, str] | None = None) -> dict[str, object]:
    """A record without secrets: versions, machine, command, and environment `variables` (None: of this process)."""
    return {
        "engine": __version__,
        "commit": commit(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
        "environment": environment() if variables is None else dict(variables),
        "command": command,
    }


@cache
def commit() -> str:
    """The Git commit of the running code, with a `+` if tracked files are changed. Empty outside of a checkout."""
    asked = ask_git()
    if asked is None:
        return ""
    try:
        told, _ = asked.communicate(timeout=_GIT_S)
    except subprocess.TimeoutExpired:
        asked.kill()
        asked.communicate()
        return ""
    lines = told.splitlines()
    name = next((line.removeprefix(_OID) for line in lines if line.startswith(_OID)), "")
    changed = any(not line.startswith("#") for line in lines)
    return f"{name}+" if name and changed else name


@cache
def ask_git() -> subprocess.Popen[str] | None:
    """Start `git status` early, so that `commit` need not wait for its output. Returns None outside of a checkout."""
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():
        return None
    words = ["git", "-C", str(root), "status", "--porcelain=v2", "--branch", "--untracked-files=no"]
    try:
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return None
