"""What a run stands for on a board: the system of an executor, a model file and settings, and its name."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from leaderboard.accounts import services as accounts
from leaderboard.runs import catalogue, model_files
from leaderboard.runs.models import ModelFile, Run
from leaderboard.submissions.models import System

NAME_LENGTH = 80  # characters, as `System.name` holds
#: Settings of the machine and its speed. All others are part of what is tested, and of its name.
SPEED_SETTINGS = frozenset(
    {"threads", "gpu_layers", "batch", "ubatch", "parallel", "flash_attention", "repack", "draft_model"}
)
#: An address says nothing about what was tested, and must not be published.
UNNAMED_SETTINGS = SPEED_SETTINGS | catalogue.SERVER_SETTINGS


def system_of(run: Run) -> System:
    """The system that a run stands for: one per executor, model file and settings, owned by who starts it."""
    if run.executor.startswith(catalogue.ADAPTER_PREFIX):
        name, fields = _adapter_name(run), _model_fields(run.model_file)
    else:
        spec = run.version.suite.systems()[run.executor]
        name, fields = spec.name, {"kind": spec.kind, "description": spec.description[:300]}
        if accounts.is_service(run.started_by):  # what a person runs contests the board
            fields["reference"] = spec.reference
    system = System.objects.filter(owner=run.started_by).named(name).first()
    if system is None:
        system = System.objects.create(owner=run.started_by, name=name, **fields)
    if run.model_file and (changed := system.fill_from_file(model_files.card_facts(run.model_file))):
        system.save(update_fields=changed)
    if system.reference != (role := fields.get("reference", system.reference)):
        system.reference = role  # an earlier release of the suite said otherwise
        system.save(update_fields=["reference"])
    return system


def _adapter_name(run: Run) -> str:
    executor = catalogue.executors_for(run.version)[run.executor]
    return adapter_name(executor, run.model_file, run.settings)


def adapter_name(
    executor: catalogue.Executor, model_file: ModelFile | None, settings: Mapping[str, catalogue.SettingValue]
) -> str:
    """`tiny · llama_cpp · standard@1 · mode=select`: settings are part of what is tested, those that a cut leaves out
    by a hash.

    Args:
        executor: The adapter.
        model_file: What it runs, where it runs a file.
        settings: Those that were given.
    """
    prompted = model_file is None or model_file.is_language_model
    told, values = catalogue.named(executor, settings, prompted=prompted)
    parts = [*([model_file.name] if model_file else []), *told]
    names = sorted(values.keys() - UNNAMED_SETTINGS, key=catalogue.telling)
    pairs = [f"{name}={values[name]}" for name in names]
    name = " · ".join([*parts, ", ".join(pairs)] if pairs else parts)
    told_apart = hashlib.sha256(name.encode()).hexdigest()[:6]
    return name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 8]}… {told_apart}"


def _model_fields(model: ModelFile | None) -> dict[str, Any]:
    if model is not None and model.is_language_model:
        return {"kind": System.Kind.LLM}
    known = model is not None and model.kind in System.Kind.values
    return {"kind": model.kind if model is not None and known else System.Kind.PIPELINE}
