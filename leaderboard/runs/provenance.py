"""Provenance of verified results: the facts needed to repeat them, without local paths and server addresses."""

from __future__ import annotations

import platform
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from django.conf import settings

import evaluation
from evaluation.core.suite import Suite
from leaderboard.runs import model_files
from leaderboard.runs.catalogue import ADAPTER_PREFIX, SERVER_SETTINGS, SettingValue
from leaderboard.runs.models import Run
from leaderboard.submissions.contexts import contexts
from leaderboard.web.formatting import minute, number


class Provenance(TypedDict):
    """The provenance of a run that is known before its first row is answered."""

    executor: str
    settings: dict[str, SettingValue]
    conditions: list[str]
    version_sha256: str
    grader: str
    engine: str
    commit: str
    python: str
    machine: str
    command: str
    model: NotRequired[model_files.ModelFacts]


def run_provenance(run: Run) -> Provenance:
    made: Provenance = {
        "executor": run.executor.removeprefix(ADAPTER_PREFIX),
        "settings": _without_address(run.settings),
        "conditions": run.conditions or list(run.version.conditions),
        "version_sha256": run.version.sha256,
        "grader": run.version.present_grader,
        "engine": evaluation.__version__,
        "commit": commit(),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {_processor()}",
        "command": command(run),
    }
    if run.model_file:
        made["model"] = model_files.facts(run.model_file)
    return made


def with_adapter(known: Provenance, reported: Mapping[str, Any]) -> dict[str, Any]:
    """Merge `known` with the facts that the adapter reported: complete settings, no paths, no addresses."""
    reported = model_files.without_folder(dict(reported))
    chosen = {name: known["settings"][name] for name in ("server",) if name in known["settings"]}
    complete = chosen | _without_address(reported.get("settings") or known["settings"])
    joined = {**reported, **known, "settings": complete}
    if "seed" in joined["settings"]:
        joined["seed"] = joined["settings"]["seed"]
    return joined


def command(run: Run) -> str:
    version = f"{run.version.benchmark.slug}/{run.version.slug}"
    if run.executor.startswith(ADAPTER_PREFIX):
        words = ["run_model", version, "--adapter", run.executor.removeprefix(ADAPTER_PREFIX)]
        words += ["--model", run.model_file.path] if run.model_file else []
    else:
        words = ["run_system", run.executor, version]
    for name, value in run.settings.items():
        words += ["--set", f"{name}={_in_command(name, value)}"]
    words += ["--conditions", *run.conditions] if run.conditions else []
    words += ["--limit", str(run.row_limit)] if run.row_limit else []
    return shlex.join(["python", "manage.py", *words])


def _in_command(name: str, value: Any) -> Any:
    if name in SERVER_SETTINGS:
        # A placeholder: the address must not be published.
        return name.upper()
    return str(value).lower() if isinstance(value, bool) else value


def _without_address(values: Mapping[str, SettingValue]) -> dict[str, SettingValue]:
    return {name: value for name, value in values.items() if name not in SERVER_SETTINGS}


@lru_cache(maxsize=1)
def commit() -> str:
    """Git commit of this checkout, with `-dirty` if files are changed; empty outside a checkout."""
    words = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(
            words, cwd=settings.BASE_DIR, capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


#: Label -> path in the provenance, in display order.
FACTS = {
    "Executor": "executor",
    "Model": "model.name",
    "Model file": "model.file",
    "Architecture": "model.architecture",
    "Learner": "trained.learner",
    "Trained by": "trained.trained_by",
    "Trained on": "trained.families",
    "Training rounds": "trained.rounds",
    "Reached level": "trained.level",
    "Training examples": "trained.examples",
    "Quantization": "model.quantization",
    "Embedding model": "embedding_model.name",
    "Embedding model file": "embedding_model.file",
    "llama.cpp": "llama_cpp",
    "llama-cpp-python": "llama_cpp_python",
    "Prompt set": "prompt.set",
    "Prompt wording": "prompt.wording",
    "Worked examples": "prompt.shots",
    "Retriever": "retriever",
    "Strategy": "settings.strategy",
    "Token budget": "settings.budget",
    "Model server": "settings.server",
    "Model asked for": "server.model_asked",
    "Models that answered": "server.models_answered",
    "Left out of requests": "server.left_out",
    "Seed": "seed",
    "Machine": "machine",
    "Cores": "hardware.cores",
    "Engine": "engine",
    "Grader": "grader",
    "Python": "python",
    "Git commit": "commit",
    "Attempts": "attempts",
    "Rows asked again": "asked_again",
    "Took": "seconds",
    "Made": "made_at",
}
HASHES = {
    "Model SHA-256": "model.sha256",
    "Embedding model SHA-256": "embedding_model.sha256",
    "Prompt template": "prompt_template_sha256",
    "Version": "version_sha256",
}


def lines(provenance: Mapping[str, object], suite: Suite) -> list[tuple[str, Any, bool]]:
    """The known facts of a provenance, as (label, text, True for a hash)."""
    facts = [(label, text, False) for label, text in _known(provenance, FACTS)]
    if built := contexts(suite, provenance):
        facts.append(("Contexts", str(built), False))
    return facts + [(label, text, True) for label, text in _known(provenance, HASHES)]


def _known(provenance: Mapping[str, object], places: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    for label, place in places.items():
        value: Any = provenance
        for part in place.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        if value not in (None, ""):
            value = ", ".join(map(str, value)) if isinstance(value, list) else value
            yield label, WORDS[place](value) if place in WORDS else value


def _commit_in_words(text: str) -> str:
    sha, dirty, _ = text.partition("-dirty")
    return f"{sha[:12]}, with local changes" if dirty else sha[:12]


#: Path in the provenance -> function that formats its value.
WORDS: Mapping[str, Callable[[Any], str]] = {
    "commit": _commit_in_words,
    "seconds": lambda seconds: number(seconds, "seconds"),
    "made_at": lambda moment: minute(datetime.fromisoformat(moment)),
}
