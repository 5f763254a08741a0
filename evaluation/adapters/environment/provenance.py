"""What is needed to repeat a run or a sweep, beside its settings."""

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
#: What the `env` of the reference's runs holds.
OF_RUNS = (f"{PREFIX}MODEL", f"{PREFIX}REQUIRE_CITATIONS")
_OID = "# branch.oid "  # the line of git's that names the commit
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


def of_run(*, settings: bool = True) -> dict[str, str | None]:
    """The same as the `env` of a run, which names the reference's own two variables even where they are not set.

    Args:
        settings: Whether variables fill in settings that are left out.
    """
    return dict.fromkeys(OF_RUNS) | environment(settings=settings)


def about(command: str, variables: Mapping[str, str] | None = None) -> dict[str, object]:
    """Versions, the machine, the environment, and what was typed.

    Args:
        command: The command line, without secrets; empty where there was none.
        variables: Of the environment, those that figures may depend on; None: those of this process.
    """
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
    """The commit of the checkout that runs, `+` behind it where files were changed; empty where there is none."""
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
    """Start git, whose answer `commit` reads: whoever asks early need not wait for it. None: there is no checkout."""
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():
        return None
    words = ["git", "-C", str(root), "status", "--porcelain=v2", "--branch", "--untracked-files=no"]
    try:
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return None
