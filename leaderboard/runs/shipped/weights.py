"""Finds the files of shipped models, in a package or the source, and requantizes them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from django.conf import settings

from evaluation.adapters.llama import model_file
from evaluation.adapters.llama.library import last_log, llama_api
from leaderboard.runs.shipped import HERE, ShippedModel

#: Folder of requantized copies, below `DATA_DIR`.
REQUANTIZED = "requantized"


class NoModelError(Exception):
    """A model file is missing or cannot be made; the text says what to do."""


def path(model: ShippedModel) -> Path:
    """The model's file, requantized on first use if `systems.toml` says so. Raises NoModelError."""
    source = _source(model)
    return requantized(source, model.quantization) if model.quantization else source


def _source(model: ShippedModel) -> Path:
    folder = _folder_of(model.package) if model.package else HERE
    if folder is None or not (folder / model.file).is_file():
        raise NoModelError(
            f"The model is not installed ({model.package or model.slug}, {model.file}): "
            "run make demo-models, or pass a GGUF file with --model."
        )
    return folder / model.file


def _folder_of(package: str) -> Path | None:
    spec = find_spec(package)
    return Path(spec.origin).parent if spec and spec.origin else None


def requantized(source: Path, quantization: str) -> Path:
    """A copy of a GGUF file in another llama.cpp type, such as `Q4_0`; made only once. Raises NoModelError."""
    api = llama_api()
    number = getattr(api, f"LLAMA_FTYPE_MOSTLY_{quantization}", None)
    if number is None:
        raise NoModelError(f"llama.cpp has no quantization {quantization!r}.")
    digest = model_file.sha256(source)[:12]
    made = Path(settings.DATA_DIR) / REQUANTIZED / f"{source.name.split('.')[0]}.{digest}.{quantization}.gguf"
    if made.is_file():
        return made
    made.parent.mkdir(parents=True, exist_ok=True)
    partial = made.with_suffix(".partial")
    options = api.llama_model_quantize_default_params()
    options.ftype, options.allow_requantize = number, True
    if api.llama_model_quantize(str(source).encode(), str(partial).encode(), options) != 0:
        raise NoModelError(f"llama.cpp could not requantize {source.name} to {quantization}: {last_log()}")
    return partial.replace(made)
