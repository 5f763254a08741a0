"""Metadata of a GGUF file, read without loading the weights and shown when the file is registered."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from evaluation.adapters.llama.file_card import file_card
from evaluation.adapters.llama.gguf_header import MAGIC, Header, HeaderError, read_header
from evaluation.core.errors import AdapterError

#: File names of shards made by llama-gguf-split.
_SHARD = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$")
_NAME = re.compile(r"[\w.-]{1,100}")
_CHUNK = 1 << 20
LONGEST_NAME, LONGEST_TEMPLATE = 200, 1_000_000  # characters; templates have 20,000

Kind: TypeAlias = Literal["model", "embeddings", "adapter", "projector"]
#: Encoder architectures, which do not generate text (llama.cpp's names).
ENCODERS = frozenset(
    {"bert", "eurobert", "gemma-embedding", "jina-bert-v2", "jina-bert-v3", "llama-embed"}
    | {"modern-bert", "neo-bert", "nomic-bert", "nomic-bert-moe", "t5encoder"}
)
_ADVICE: dict[Kind, str] = {
    "model": "a language model, but another kind of file is needed here",
    "embeddings": "an embedding model, not a language model: it makes vectors of texts and cannot write. "
    "The retriever `dense` reads it: set GOLDEVIDENCEBENCH_EMBEDDING_MODEL to its path",
    "adapter": "a LoRA adapter, not a model: set it as `lora` beside its model",
    "projector": "a vision projector, which reads pictures for a language model: name the model itself",
}


@dataclass(frozen=True, slots=True)
class ModelFile:
    """Metadata of one GGUF file. A field is None if the file does not state it."""

    file: str  # name without the private path; the first shard of a split model
    name: str | None
    architecture: str
    quantization: str | None
    parameters: int
    context: int | None
    chat_template: str | None
    size: int
    sha256: str
    #: See `file_card`.
    card: Mapping[str, str] = field(default_factory=dict)
    kind: Kind = "model"

    def as_dict(self) -> dict[str, Any]:
        """The fields that affect a model's results, by name: all fields but `card` and `kind`."""
        return {name: value for name, value in asdict(self).items() if name not in ("card", "kind")}


def inspect(path: str | Path, *, takes: tuple[Kind, ...] = ("model",)) -> ModelFile:
    """Metadata and hash of a GGUF file, or of all shards if it is the first shard of a split model.

    `takes`: kinds of files to accept. Raises AdapterError for other kinds, and for unreadable files.
    """
    file = check_file(path)
    return _taken(file, _inspected(file, tuple(_state(shard) for shard in shards_of(file))), takes)


def describe(path: str | Path, takes: tuple[Kind, ...] = ("model",)) -> ModelFile:
    """Metadata as from `inspect`, but with an empty `sha256`: hashing would read the whole file."""
    file = check_file(path)
    return _taken(file, _described(file, [_header(shard) for shard in shards_of(file)]), takes)


def _taken(file: Path, found: ModelFile, takes: tuple[Kind, ...]) -> ModelFile:
    if found.kind not in takes:
        raise AdapterError(f"{file} is {_ADVICE[found.kind]}")
    return found


def is_later_shard(path: Path) -> bool:
    match = _SHARD.search(path.name)
    return match is not None and int(match[1]) > 1


def shards_of(path: Path) -> list[Path]:
    """The files of a model: `path`, or all shards if it is the first. AdapterError: a later or a missing shard."""
    match = _SHARD.search(path.name)
    if match is None:
        return [path]
    number, count = int(match[1]), int(match[2])
    named = [
        path.with_name(f"{path.name[: match.start()]}-{each:05}-of-{count:05}.gguf")
        for each in range(1, count + 1)
    ]
    if number != 1:
        raise AdapterError(f"{path} is part {number} of {count}: name the first part, {named[0].name}")
    for each, shard in enumerate(named, 1):
        if not shard.is_file():
            raise AdapterError(f"{path}: shard {each} of {count} is missing ({shard.name})")
    return named


def _state(file: Path) -> tuple[Path, int, int]:
    status = file.stat()
    return file, status.st_size, status.st_mtime_ns


@lru_cache(maxsize=8)
def _inspected(file: Path, shards: tuple[tuple[Path, int, int], ...]) -> ModelFile:
    """Metadata and hash of a model. Cached by path, size and time of its files, because hashing takes a while."""
    described = _described(file, [_header(shard) for shard, *_ in shards])
    return replace(described, sha256=sha256(file))


def _header(file: Path) -> Header:
    try:
        import gguf  # noqa: F401 - the names of its types
    except ImportError as error:
        raise AdapterError(
            "the gguf package is not installed: in a checkout of the source, pip install '.[llama]'"
        ) from error
    try:
        header = read_header(check_file(file))
    except HeaderError as error:
        raise AdapterError(f"{file} is not a whole GGUF file: it {error}") from error
    end, size = header.data_start + _data_end(file, header), file.stat().st_size
    if header.tensors and end > size:
        raise AdapterError(f"{file} is cut off: its header declares {end} bytes, the file has {size}")
    return header


def _data_end(file: Path, header: Header) -> int:
    from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

    end = 0
    for tensor in header.tensors:
        try:
            block, size = GGML_QUANT_SIZES[GGMLQuantizationType(tensor.kind)]
        except (ValueError, KeyError):
            raise AdapterError(
                f"{file} contains a tensor of type {tensor.kind} ({tensor.name}), which is newer than this llama.cpp: "
                "update llama-cpp-python and gguf"
            ) from None
        end = max(end, tensor.offset + -(-tensor.elements // block) * size)
    return end


def check_file(path: str | Path) -> Path:
    """Return `path` if the file starts with the GGUF magic. Raises AdapterError, which names the likely format."""
    file = Path(path)
    if not str(path):
        raise AdapterError("no model given: set `model` to the path of a GGUF file")
    if not file.is_file():
        raise AdapterError(f"no model file at {file}")
    with file.open("rb") as handle:
        head = handle.read(64)
    if not head.startswith(MAGIC):
        raise AdapterError(f"{file} is not a GGUF file ({_seems(head)})")
    return file


def _seems(head: bytes) -> str:
    if head.startswith(b"version https://git-lfs"):
        return "it is a Git LFS pointer: fetch the file itself, with git lfs pull"
    if head.lstrip().lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        return "it is a web page, perhaps from a failed download: must the model's licence be accepted first?"
    return "it does not begin with GGUF"


def size_of(path: str | Path) -> int:
    """Size of a model's file, or of all its shards, in bytes. Raises AdapterError that names a missing shard."""
    return sum(shard.stat().st_size for shard in shards_of(Path(path)))


def sha256(path: str | Path) -> str:
    """Hexadecimal SHA-256 of a model's file, or over the bytes of all shards in order."""
    digest = hashlib.sha256()
    for shard in shards_of(Path(path)):
        with shard.open("rb") as handle:
            while chunk := handle.read(_CHUNK):
                digest.update(chunk)
    return digest.hexdigest()


def _described(file: Path, headers: Sequence[Header]) -> ModelFile:
    fields = headers[0].fields
    if fields.get("general.type") == "imatrix":
        raise AdapterError(f"{file} is an importance matrix for quantizing, not a model")
    architecture = fields.get("general.architecture")
    if not isinstance(architecture, str) or not _NAME.fullmatch(architecture):
        raise AdapterError(f"{file}: its metadata names no architecture")
    context = fields.get(f"{architecture}.context_length")
    if context is not None and (type(context) is not int or not 0 <= context < 1 << 31):
        raise AdapterError(f"{file}: its context_length is not a valid number of tokens")
    template = _text(fields, "tokenizer.chat_template")
    if template is not None and len(template) > LONGEST_TEMPLATE:
        raise AdapterError(f"{file}: its chat template is too long ({len(template):,} characters)")
    if not any(header.tensors for header in headers):
        raise AdapterError(f"{file} has no weights: it is only a vocabulary")
    return ModelFile(
        file=file.name,
        name=(_text(fields, "general.name") or "")[:LONGEST_NAME] or None,
        architecture=architecture,
        quantization=_quantization(fields.get("general.file_type")),
        parameters=sum(tensor.elements for header in headers for tensor in header.tensors),
        context=context,
        chat_template=template,
        size=size_of(file),
        sha256="",
        card=file_card(fields.get),
        kind=_kind(fields, architecture),
    )


def _kind(fields: Mapping[str, object], architecture: str) -> Kind:
    """Kind of a model file. A decoder that declares a pooling type has been tuned for embeddings."""
    declared = fields.get("general.type")
    if declared == "adapter" or "adapter.type" in fields:
        return "adapter"
    if declared == "mmproj" or architecture == "clip":
        return "projector"
    return "embeddings" if architecture in ENCODERS or fields.get(f"{architecture}.pooling_type") else "model"


def _text(fields: Mapping[str, object], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) else None


def _quantization(file_type: Any) -> str | None:
    from gguf import LlamaFileType

    if type(file_type) is not int:
        return None
    try:
        return LlamaFileType(file_type).name.removeprefix("MOSTLY_").removeprefix("ALL_")
    except ValueError:
        return f"type {file_type}"
