"""Names the system of a run, and finds or creates its database row."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from leaderboard.accounts import services as accounts
from leaderboard.runs import catalogue, model_files
from leaderboard.runs.models import ModelFile, Run
from leaderboard.submissions.models import System
from leaderboard.submissions.models.system import NAME_LENGTH, shortened

HARNESS_LENGTH = 120  # characters, as `System.harness` holds
#: Settings that affect only speed. All other settings are part of the tested system and its name.
SPEED_SETTINGS = frozenset(
    {"threads", "gpu_layers", "batch", "ubatch", "parallel", "flash_attention", "repack", "draft_model"}
)
#: Settings that names leave out. Addresses are not part of the tested system, and must not be published.
UNNAMED_SETTINGS = SPEED_SETTINGS | catalogue.SERVER_SETTINGS
#: Settings that `harness` describes in words; others follow as `name=value`.
SPOKEN = frozenset({"mode", "retriever", "k", "selector", "strategy", "budget", "truncation"})
RETRIEVERS = {"bm25": "BM25", "tfidf": "TF-IDF", "key": "their tag", "dense": "embeddings"}
_QUANTIZATION = re.compile(r"[.\-_](?:Q\d\w*|IQ\d\w*|F16|F32|BF16)$", re.IGNORECASE)
_FILE = re.compile(r"\.gguf$", re.IGNORECASE)


def system_of(run: Run) -> System:
    """The system of a run, created if missing. A system is unique per account, executor, model file and settings."""
    if run.executor.startswith(catalogue.ADAPTER_PREFIX):
        executor = catalogue.executors_for(run.version)[run.executor]
        settings = adapter_name(executor, run.model_file, run.settings)
        fields = _model_fields(run.model_file) | called(executor, run.model_file, run.settings)
    else:
        spec = run.version.suite.systems()[run.executor]
        settings = spec.name
        fields = {"name": spec.name, "kind": spec.kind, "description": spec.description[:300]}
        if accounts.is_service(run.started_by):  # runs of users compete even if the suite calls it a baseline
            fields["reference"] = spec.reference
    system = System.objects.filter(owner=run.started_by).run_as(settings).first()
    if system is None:
        system = System.objects.create(owner=run.started_by, **fields | _told_apart(run, fields, settings))
    if run.model_file and (changed := system.fill_from_file(model_files.card_facts(run.model_file))):
        system.save(update_fields=changed)
    if system.reference != (role := fields.get("reference", system.reference)):
        system.reference = role  # the role changed with a release of the suite
        system.save(update_fields=["reference"])
    return system


def adapter_name(
    executor: catalogue.Executor, model_file: ModelFile | None, settings: Mapping[str, catalogue.SettingValue]
) -> str:
    """Name that identifies the settings: `tiny · llama_cpp · standard@1 · mode=select`. If cut, it ends in a hash."""
    prompted = model_file is None or model_file.is_language_model
    told, values = catalogue.named(executor, settings, prompted=prompted)
    parts = [*([model_file.name] if model_file else []), *told]
    names = sorted(values.keys() - UNNAMED_SETTINGS, key=catalogue.telling)
    pairs = [f"{name}={values[name]}" for name in names]
    return shortened(" · ".join([*parts, ", ".join(pairs)] if pairs else parts), NAME_LENGTH)


def called(
    executor: catalogue.Executor, model_file: ModelFile | None, settings: Mapping[str, catalogue.SettingValue]
) -> dict[str, str]:
    """Display fields of an adapter's system: `name`, `model`, `reading` and `harness`."""
    model = model_name(model_file) if model_file else str(settings.get("model") or "")
    known = {setting.name: setting.default for setting in executor.settings} | dict(settings)
    prompted = model_file is None or model_file.is_language_model
    if not prompted:
        known["selector"] = None  # the trained file selects
    reading, words = _reads(executor.name.removeprefix(catalogue.ADAPTER_PREFIX), known)
    _, values = catalogue.named(executor, settings, prompted=prompted)
    prompt, defaults = known.get("prompt"), {each.name: each.default for each in executor.settings}
    sets = [str(prompt)] if prompted and prompt and prompt != defaults.get("prompt") else []
    more = [f"{name}={values[name]}" for name in sorted(values.keys() - UNNAMED_SETTINGS - SPOKEN)]
    harness = shortened(" · ".join([words, *sets, *more]), HARNESS_LENGTH)
    quantization = model_file.quantization if model_file else ""
    return {
        "name": System.label(model or executor.label, harness, quantization),
        "model": model[:NAME_LENGTH],
        "reading": reading,
        "harness": harness,
    }


def model_name(model_file: ModelFile) -> str:
    """The model's name on the Hugging Face Hub, else the file's name without format and quantization."""
    hub_id = str(model_files.card_facts(model_file).get("hub_id", ""))
    if hub_id:
        return hub_id.rpartition("/")[2]
    return _QUANTIZATION.sub("", _FILE.sub("", model_file.name))


def _reads(adapter: str, settings: Mapping[str, Any]) -> tuple[str, str]:
    """How the adapter reads the text: as a value of `System.Reading`, and in words."""
    if strategy := settings.get("strategy"):
        words = str(strategy).replace("_", " ")
        return System.Reading.MEMORY, f"{words}, up to {settings.get('budget')} tokens"
    if adapter == "retrieval":
        retriever = str(settings.get("retriever"))
        found = f"{settings.get('k')} lines found by {RETRIEVERS.get(retriever, retriever)}"
        by_rule = (
            ""
            if settings.get("selector") in (None, "none")
            else f", rule {str(settings['selector']).replace('_', ' ')}"
        )
        picks = "picks from" if settings.get("mode") == "select" else "answers from"
        return System.Reading.RETRIEVAL, f"{picks} {found}{by_rule}"
    if adapter == "learner":
        return System.Reading.OTHER, "trained in the gym, picks a line"
    words = "picks a line of the whole text" if settings.get("mode") == "select" else "reads the whole text"
    return System.Reading.WHOLE, words


def _told_apart(run: Run, fields: Mapping[str, Any], settings: str) -> dict[str, str]:
    name = str(fields["name"])
    if System.objects.filter(owner=run.started_by).named(name).exists():
        name = f"{name[: NAME_LENGTH - 9]} · {hashlib.sha256(settings.encode()).hexdigest()[:6]}"
    return {"name": name, "settings": settings if settings != name else ""}


def _model_fields(model: ModelFile | None) -> dict[str, Any]:
    if model is not None and model.is_language_model:
        return {"kind": System.Kind.LLM}
    kinds = {kind: kind for kind in System.Kind.values} | {"learner": System.Kind.SELECTOR}
    loop = getattr(model, "loop", None)
    told = {"description": loop.lineage[:300]} if loop else {}
    return {"kind": kinds.get(model.kind if model else "", System.Kind.PIPELINE), **told}
