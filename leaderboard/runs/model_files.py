"""Model files: GGUFs in the one configured folder. What is known of one was read from its own metadata.

Nothing outside `MODELS_DIR` is ever opened: a name is refused if it is absolute, climbs with `..`, or leads
out by a link.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from evaluation.adapters.llama import model_file as gguf_file
from evaluation.core.errors import AdapterError
from evaluation.core.terminal.wording import number_of
from leaderboard.runs.models import ModelFile

#: What local models need, package by import name; the extra `llama` brings both.
PACKAGES = {"llama_cpp": "llama-cpp-python", "gguf": "gguf"}
INSTALL = "pip install '.[llama]'"


class ModelFileError(Exception):
    """A file cannot be used as asked; the text says why."""


def missing_packages() -> list[str]:
    """What this machine lacks for local models; empty where all is there."""
    return [name for module, name in PACKAGES.items() if importlib.util.find_spec(module) is None]


def folder() -> Path:
    """The one folder where models live."""
    path = Path(settings.MODELS_DIR)
    path.mkdir(parents=True, exist_ok=True)
    return path.resolve()


def resolve(name: str) -> Path:
    """The file of that name inside the folder. Raises ModelFileError for anything else."""
    if not name or "\x00" in name or Path(name).is_absolute() or ".." in Path(name).parts:
        raise ModelFileError(f"{name!r} is not a name inside the models folder.")
    path = (folder() / name).resolve()
    if not path.is_relative_to(folder()):
        raise ModelFileError(f"{name} is a link that leads out of the models folder.")
    if path.suffix.lower() != ".gguf":
        raise ModelFileError(f"{name} does not end in .gguf.")
    if not path.is_file():
        raise ModelFileError(f"There is no file {name} in the models folder.")
    return path


def unregistered() -> list[str]:
    """The GGUF files in the folder that nobody registered yet, by name."""
    known = set(ModelFile.objects.values_list("path", flat=True))
    return [name for name in _names() if name not in known]


def _names() -> Iterator[str]:
    for path in sorted(folder().rglob("*.gguf")):
        name = path.relative_to(folder()).as_posix()
        try:
            resolve(name)
        except ModelFileError:
            continue
        yield name


def register(name: str, *, by: Any) -> ModelFile:
    """Read a file's metadata, hash it and keep both.

    Args:
        name: Its path inside the models folder.
        by: The account that registers it.

    Raises:
        ModelFileError: In a sentence for a reader: there is no such file, it cannot be read, or is registered already.
    """
    path = resolve(name)
    try:
        metadata = gguf_file.inspect(path)
    except AdapterError as error:
        raise ModelFileError(without_folder(str(error))) from error
    title = (metadata.name or path.stem)[:100]
    if ModelFile.objects.filter(name=title).exists():
        title = path.stem[:100]
    try:
        with transaction.atomic():
            return ModelFile.objects.create(
                path=path.relative_to(folder()).as_posix(),
                name=title,
                sha256=metadata.sha256,
                size=metadata.size,
                architecture=metadata.architecture[:40],
                quantization=(metadata.quantization or "")[:30],
                parameters=metadata.parameters,
                context_length=metadata.context or 0,
                chat_template=metadata.chat_template or "",
                registered_by=by,
            )
    except IntegrityError as error:
        raise ModelFileError(f"{name} is registered already.") from error


def remove(model: ModelFile) -> None:
    """Forget a model; its file stays. Raises ModelFileError where a run needs it to be repeatable."""
    try:
        model.delete()
    except ProtectedError as error:
        count = model.runs.count()
        raise ModelFileError(
            f"{model} has {number_of(count, 'run')} and is kept for their provenance."
        ) from error


def path_of(model: ModelFile) -> Path:
    """The model's file, if it still is the one that was registered. Raises ModelFileError."""
    path = resolve(model.path)
    if path.stat().st_size != model.size or gguf_file.sha256(path) != model.sha256:
        raise ModelFileError(f"{model.path} is no longer the file that was registered: its SHA-256 differs.")
    return path


class ModelFacts(TypedDict):
    """What a result says about the model that made it."""

    name: str
    file: str
    sha256: str
    architecture: str
    quantization: str
    parameters: int
    context: int


def facts(model: ModelFile) -> ModelFacts:
    """What a result says about the model that made it."""
    return {
        "name": model.name,
        "file": model.path,
        "sha256": model.sha256,
        "architecture": model.architecture,
        "quantization": model.quantization,
        "parameters": model.parameters,
        "context": model.context_length,
    }


def without_folder(value: Any) -> Any:
    """A text, or the texts inside a JSON value, without the models folder: that path helps nobody."""
    if isinstance(value, dict):
        return {key: without_folder(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [without_folder(inner) for inner in value]
    return (
        value.replace(f"{folder()}/", "").replace(f"{settings.MODELS_DIR}/", "")
        if isinstance(value, str)
        else value
    )


def size_in_words(parameters: int) -> str:
    """`7248023552` -> `7.2B`; empty where it is not known."""
    for unit, size in (("B", 1e9), ("M", 1e6), ("K", 1e3)):
        if parameters >= size:
            return f"{parameters / size:.3g}{unit}"
    return str(parameters or "")
