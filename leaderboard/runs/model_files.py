"""Model files in `MODELS_DIR`: GGUF files and trained weights. Names that point outside the folder are refused."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from evaluation.adapters import trained_files
from evaluation.adapters.llama import model_file as gguf_file
from evaluation.adapters.llama.gguf_header import MAGIC
from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal.wording import number_of
from leaderboard.jobs import isolated
from leaderboard.runs.models import ModelFile
from leaderboard.submissions.models import System
from leaderboard.web.validators import printable, unseen_problem

#: Import name -> package needed for local models; the extra `llama` installs both.
PACKAGES = {"llama_cpp": "llama-cpp-python", "gguf": "gguf"}
INSTALL = "pip install '.[llama]'"
#: Suffixes of GGUF files and of separately trained weights.
ENDINGS = (".gguf", ".json")
#: Trained weights are a few numbers; a larger file is something else.
MOST_TRAINED_BYTES = 5_000_000
#: Limits for reading a GGUF header: CPU seconds and memory. The largest headers need a second and 50 MB.
HEADER_SECONDS, HEADER_BYTES = 10, 512 << 20


class FileFields(TypedDict):
    """Columns of a `ModelFile` read from the file."""

    kind: str
    name: str
    sha256: str
    size: int
    parameters: int
    architecture: NotRequired[str]
    quantization: NotRequired[str]
    context_length: NotRequired[int]
    chat_template: NotRequired[str]
    metadata: NotRequired[dict[str, str]]


class ModelFileError(Exception):
    """A file cannot be used as requested; the text says why."""


def missing_packages() -> list[str]:
    """Packages for local models that are not installed."""
    return [name for module, name in PACKAGES.items() if importlib.util.find_spec(module) is None]


def folder() -> Path:
    path = Path(settings.MODELS_DIR)
    path.mkdir(parents=True, exist_ok=True)
    return path.resolve()


def resolve(name: str) -> Path:
    """The path of a model file by its name in the folder. Raises ModelFileError for other names."""
    if not name or "\x00" in name or Path(name).is_absolute() or ".." in Path(name).parts:
        raise ModelFileError(f"{name!r} is not a name inside the models folder.")
    path = (folder() / name).resolve()
    if not path.is_relative_to(folder()):
        raise ModelFileError(f"{name} is a link to a file outside the models folder.")
    if path.suffix.lower() not in ENDINGS:
        raise ModelFileError(f"{name} does not end in {' or '.join(ENDINGS)}.")
    if not path.is_file():
        raise ModelFileError(f"The models folder has no file {name}.")
    return path


def unregistered() -> list[str]:
    """Names of files in the folder that could be registered but are not."""
    known = set(ModelFile.objects.values_list("path", flat=True))
    return [name for name in _names() if name not in known]


def _names() -> Iterator[str]:
    for path in sorted(path for ending in ENDINGS for path in folder().rglob(f"*{ending}")):
        if gguf_file.is_later_shard(path):
            continue
        name = path.relative_to(folder()).as_posix()
        try:
            resolve(name)
        except ModelFileError:
            continue
        yield name


def register(name: str, *, by: Any) -> ModelFile:
    """Read, hash and register a file. Raises ModelFileError, also if the file is already registered."""
    path = resolve(name)
    try:
        fields = _gguf(path) if _is_gguf(path) else _trained(path)
    except BenchmarkError as error:
        raise ModelFileError(without_folder(str(error))) from error
    stem = _in_a_line(path.stem)
    fields["name"] = _in_a_line(fields["name"]) or stem
    if ModelFile.objects.filter(name=fields["name"]).exists():
        fields["name"] = stem
    try:
        with transaction.atomic():
            return ModelFile.objects.create(
                path=path.relative_to(folder()).as_posix(), registered_by=by, **fields
            )
    except IntegrityError as error:
        raise ModelFileError(f"{name} is already registered.") from error


def _in_a_line(name: str) -> str:
    # A file may contain any name, with line ends and control characters.
    seen = "".join(letter for letter in " ".join(name.split()) if not unseen_problem(letter))
    return printable(seen).strip()[:100]


def _is_gguf(path: Path) -> bool:
    """True if the file has the GGUF magic or suffix. A file with only the suffix fails when it is read."""
    with path.open("rb") as file:
        return file.read(4) == MAGIC or path.suffix.lower() == ".gguf"


def _gguf(path: Path) -> FileFields:
    file = _described(path)
    return {
        "kind": ModelFile.LORA if file.kind == "adapter" else ModelFile.GGUF,
        "name": file.name or "",
        "sha256": gguf_file.sha256(path),
        "size": file.size,
        "architecture": file.architecture[:40],
        "quantization": (file.quantization or "")[:30],
        "parameters": file.parameters,
        "context_length": file.context or 0,
        "chat_template": file.chat_template or "",
        "metadata": dict(file.card),
    }


def _described(path: Path) -> gguf_file.ModelFile:
    """Read the header in another process, because it may be malicious. Raises BenchmarkError."""
    limits = {"seconds": HEADER_SECONDS, "memory": HEADER_BYTES}
    try:
        return isolated.run(gguf_file.describe, path, ("model", "adapter"), **limits)
    except isolated.TooMuchError as error:
        raise BenchmarkError(f"{path.name} is not a model: reading its header {error}") from error
    except isolated.NoTimeError as error:
        raise BenchmarkError(f"{path.name} could not be read because the site is busy: try again") from error
    except isolated.BrokenOffError as error:
        raise BenchmarkError(f"{path.name} cannot be read: {error}. Is it being copied?") from error


def _trained(path: Path) -> FileFields:
    if path.stat().st_size > MOST_TRAINED_BYTES:
        raise BenchmarkError(
            f"{path.name} is too large for trained weights: more than {MOST_TRAINED_BYTES:,} bytes."
        )
    reasons = []
    for kind, trained in trained_files().items():
        try:
            weights = trained.weights(path)
        except (BenchmarkError, RecursionError) as error:
            reasons.append(str(error).removeprefix(f"{path}: ") or f"not a {kind}")
            continue
        sha256 = gguf_file.sha256(path)
        return {
            "kind": kind,
            "name": "",
            "sha256": sha256,
            "size": path.stat().st_size,
            "parameters": weights,
        }
    raise BenchmarkError(f"No system of this site can read {path.name}: {'; '.join(reasons)}")


def read_again(model: ModelFile) -> None:
    """Read a model file's header again and save its metadata. Raises BenchmarkError or ModelFileError."""
    model.metadata = dict(gguf_file.inspect(path_of(model)).card)
    model.save(update_fields=["metadata"])


def card_facts(model: ModelFile) -> dict[str, object]:
    """Fields of a system card that the file's metadata provide."""
    facts: dict[str, object] = {
        "parameters": size_in_words(model.parameters),
        "quantization": model.quantization,
        "context": model.context_length or None,
    }
    names = ("developer", "hub_id", "hub_revision", "base_model", "licence", "licence_url")
    facts |= {name: model.metadata.get(name, "") for name in names}
    known = {name: value for name, value in facts.items() if value and _fits(name, value)}
    if "hub_id" not in known:
        known.pop("hub_revision", None)
    return known


def _fits(name: str, value: Any) -> bool:
    """True if the field of `System` accepts the value. Unfit metadata is dropped, as it would make the form invalid."""
    try:
        cast(Any, System._meta.get_field(name)).run_validators(value)
    except ValidationError:
        return False
    return True


def remove(model: ModelFile) -> None:
    """Unregister a model; its file stays. Raises ModelFileError if jobs refer to it."""
    try:
        model.delete()
    except ProtectedError as error:
        kept = Counter(type(row)._meta for row in error.protected_objects)
        has = " and ".join(
            number_of(count, str(kind.verbose_name), str(kind.verbose_name_plural))
            for kind, count in kept.items()
        )
        raise ModelFileError(f"{model} cannot be removed: {has} used it.") from error


def path_of(model: ModelFile) -> Path:
    """The path of the model's file, verified against its registered hash. Raises ModelFileError."""
    path = resolve(model.path)
    try:
        is_same = gguf_file.size_of(path) == model.size and gguf_file.sha256(path) == model.sha256
    except BenchmarkError as error:
        raise ModelFileError(without_folder(str(error))) from error
    if not is_same:
        raise ModelFileError(f"{model.path} is no longer the file that was registered: its SHA-256 differs.")
    return path


class ModelFacts(TypedDict):
    """Facts about a model in the provenance of a result."""

    name: str
    file: str
    sha256: str
    architecture: str
    quantization: str
    parameters: int
    context: int
    kind: NotRequired[str]  # only of trained weights


def facts(model: ModelFile) -> ModelFacts:
    known: ModelFacts = {
        "name": model.name,
        "file": model.path,
        "sha256": model.sha256,
        "architecture": model.architecture,
        "quantization": model.quantization,
        "parameters": model.parameters,
        "context": model.context_length,
    }
    return known if model.is_language_model else known | {"kind": model.kind}


def without_folder(value: Any) -> Any:
    """A text or JSON value with the path of the models folder removed from all texts."""
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
    """A number of parameters in short: 7248023552 is `7.25B`; empty if 0 (unknown)."""
    for unit, size in (("B", 1e9), ("M", 1e6), ("K", 1e3)):
        if parameters >= size:
            return f"{parameters / size:.3g}{unit}"
    return str(parameters or "")
