"""What a GGUF file says about itself: read before it is loaded, shown when it is registered."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from evaluation.adapters.llama.file_card import file_card
from evaluation.core.errors import AdapterError

MAGIC = b"GGUF"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One GGUF file. None where the metadata is silent."""

    file: str  # its name; where it lies is nobody's business
    name: str | None
    architecture: str
    quantization: str | None
    parameters: int
    context: int | None
    chat_template: str | None
    size: int
    sha256: str
    #: What it says beside its shape: see `file_card`.
    card: Mapping[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """What a result says of the file, which is how it computes: without the card."""
        return {name: value for name, value in asdict(self).items() if name != "card"}


def inspect(path: str | Path) -> ModelFile:
    """Read the metadata and hash the file. Raises AdapterError for anything but a whole GGUF file."""
    file = check_file(path)
    status = file.stat()
    return _inspected(file, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=8)
def _inspected(file: Path, size: int, changed: int) -> ModelFile:
    """Read once per state of the file: hashing gigabytes takes a while."""
    try:
        from gguf import GGUFReader
    except ImportError as error:
        raise AdapterError(
            "the gguf package is not installed: in a checkout of the source, pip install '.[llama]'"
        ) from error
    try:
        return _described(file, GGUFReader(file))
    except AdapterError:
        raise
    except Exception as error:  # the reader raises whatever numpy does on bytes that are not there
        raise AdapterError(f"{file} is not a whole GGUF file (damaged or cut off): {error}") from error


def check_file(path: str | Path) -> Path:
    """The path, if there is a file that begins like GGUF. Raises AdapterError."""
    file = Path(path)
    if not str(path):
        raise AdapterError("no model given: set `model` to the path of a GGUF file")
    if not file.is_file():
        raise AdapterError(f"no model file at {file}")
    with file.open("rb") as handle:
        if handle.read(4) != MAGIC:
            raise AdapterError(f"{file} is not a GGUF file (it does not begin with GGUF)")
    return file


def sha256(path: str | Path) -> str:
    """The file's SHA-256, in hexadecimal."""
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _described(file: Path, reader: Any) -> ModelFile:
    architecture = _field(reader, "general.architecture")
    if not architecture:
        raise AdapterError(f"{file}: its metadata names no architecture")
    end = max((int(t.data_offset) + int(t.n_bytes) for t in reader.tensors), default=0)
    if end > file.stat().st_size:
        raise AdapterError(f"{file} is cut off: {end} bytes are declared, {file.stat().st_size} are there")
    return ModelFile(
        file=file.name,
        name=_field(reader, "general.name"),
        architecture=architecture,
        quantization=_quantization(_field(reader, "general.file_type")),
        parameters=sum(int(tensor.n_elements) for tensor in reader.tensors),
        context=_field(reader, f"{architecture}.context_length"),
        chat_template=_field(reader, "tokenizer.chat_template"),
        size=file.stat().st_size,
        sha256=sha256(file),
        card=file_card(partial(_field, reader)),
    )


def _field(reader: Any, key: str) -> Any:
    field = reader.get_field(key)
    return None if field is None else field.contents()


def _quantization(file_type: int | None) -> str | None:
    """The file type's usual name: Q4_K_M, F16 …"""
    from gguf import LlamaFileType

    if file_type is None:
        return None
    try:
        return LlamaFileType(file_type).name.removeprefix("MOSTLY_").removeprefix("ALL_")
    except ValueError:
        return f"type {file_type}"
