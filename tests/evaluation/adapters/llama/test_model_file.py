"""Reading the header of a GGUF file."""

from __future__ import annotations

import hashlib
import re
import struct
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.adapters.llama.model_file import describe, inspect
from evaluation.core.errors import AdapterError
from tests.proportion import soon
from tests.tiny_gguf import CHAT_TEMPLATE, write_lora, write_other, write_tiny_gguf

pytestmark = pytest.mark.llama


def test_the_metadata_is_read(tiny_model: Path) -> None:
    file = inspect(tiny_model)
    assert (file.file, file.name, file.architecture, file.quantization, file.context) == (
        "tiny.gguf",
        "tiny",
        "llama",
        "F32",
        32768,
    )
    assert file.chat_template == CHAT_TEMPLATE
    assert file.size == tiny_model.stat().st_size < 600_000
    assert file.sha256 == hashlib.sha256(tiny_model.read_bytes()).hexdigest()
    assert file.parameters * 4 < file.size


def test_the_same_arguments_write_the_same_model(tmp_path: Path, tiny_model: Path) -> None:
    again = write_tiny_gguf(tmp_path / "again.gguf", chat_template=CHAT_TEMPLATE)
    assert again.read_bytes() == tiny_model.read_bytes()


def test_a_file_without_a_template_has_none(plain_model: Path) -> None:
    assert inspect(plain_model).chat_template is None


@pytest.mark.parametrize("size", [4, 20, 300, 5_000, 100_000, 470_000])
def test_a_cut_off_file_is_a_clear_error(tmp_path: Path, tiny_model: Path, size: int) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(tiny_model.read_bytes()[:size])
    with pytest.raises(AdapterError, match=r"cut\.gguf"):
        inspect(path)


@pytest.mark.parametrize("content", [b"", b"GG", b"not a model at all"])
def test_a_file_of_another_kind_is_a_clear_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.gguf"
    path.write_bytes(content)
    with pytest.raises(AdapterError, match="not a GGUF file"):
        inspect(path)


def test_an_absent_file_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="no model file at"):
        inspect(tmp_path / "absent.gguf")


def gguf(*fields: tuple[str, int, bytes], tensors: bytes = b"", count: int = 0, version: int = 3) -> bytes:
    """A GGUF file of these fields, each (name, number of its type, value), and of tensors as bytes."""
    said = b"".join(
        struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", kind) + value
        for name, kind, value in fields
    )
    return b"GGUF" + struct.pack("<IQQ", version, count, len(fields)) + said + tensors


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


LLAMA = ("general.architecture", 8, text("llama"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gguf(LLAMA, ("x", 9, struct.pack("<IQ", 0, 1 << 60))), "declares lists of"),
        (gguf(LLAMA, ("x", 9, struct.pack("<IQ", 8, 1 << 20))), "cut off or damaged"),
        (gguf(LLAMA, ("x", 9, struct.pack("<IQ", 4, 1 << 20))), "cut off or damaged"),
        (gguf(LLAMA, ("x", 8, struct.pack("<Q", 1 << 60))), "declares texts of"),
        (gguf(LLAMA, ("x", 77, b"")), "unknown type 77"),
        (gguf(LLAMA, count=1 << 50), "tensors; no model has more"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 62), "fields; no model has more"),
        (gguf(LLAMA, tensors=text("t") + struct.pack("<I", 99), count=1), "99 dimensions"),
        (gguf(LLAMA, tensors=text("t") + struct.pack("<IQIQ", 1, 32, 45, 0), count=1), "newer than this llama.cpp"),
        (gguf(LLAMA, ("llama.context_length", 8, text("long"))), "context_length is not a valid number"),
        (gguf(LLAMA, ("llama.context_length", 10, struct.pack("<Q", 1 << 63))), "context_length is not a valid number"),
        (gguf(("general.architecture", 8, text("a\0b"))), "names no architecture"),
        (gguf(("general.architecture", 4, struct.pack("<I", 1))), "names no architecture"),
        (gguf(("general.type", 8, text("imatrix"))), "importance matrix"),
        (gguf(LLAMA, ("tokenizer.chat_template", 8, text("x" * 1_000_001))), "1,000,001 characters"),
        (gguf(LLAMA), "has no weights"),
        (gguf(LLAMA, version=1), "version 1"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big-endian"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS pointer"),
        (b"<!doctype html><title>Access restricted</title>", "web page"),
    ],
)  # fmt: skip
def test_what_is_no_model_is_named_in_a_sentence_at_once(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "odd.gguf"
    path.write_bytes(content)
    with soon(2), pytest.raises(AdapterError, match=re.escape(words)) as refused:
        inspect(path)
    assert "odd.gguf" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_many_small_values_take_no_time(tmp_path: Path) -> None:
    path = tmp_path / "many.gguf"
    tensor = text("t") + struct.pack("<IQIQ", 1, 32, 0, 0)
    values = ("x", 9, struct.pack("<IQ", 8, 3_000_000) + bytes(8 * 3_000_000))
    path.write_bytes(gguf(LLAMA, values, tensors=tensor, count=1) + bytes(256))
    with soon(10):
        assert inspect(path).architecture == "llama"


@pytest.mark.parametrize(
    ("architecture", "options", "words"),
    [
        ("bert", {}, "an embedding model, not a language model"),
        ("nomic-bert", {"pooling": 1}, "an embedding model, not a language model"),
        ("jina-bert-v2", {}, "set GOLDEVIDENCEBENCH_EMBEDDING_MODEL to its path"),
        ("qwen3", {"pooling": 3}, "an embedding model, not a language model"),
        ("clip", {}, "a vision projector, which reads pictures"),
        ("qwen2vl", {"declared": "mmproj"}, "a vision projector, which reads pictures"),
        ("llama", {"declared": "adapter"}, "a LoRA adapter, not a model: set it as `lora` beside its model"),
    ],
)
def test_other_files_than_language_models_are_called_what_they_are(
    tmp_path: Path, architecture: str, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(AdapterError, match=words):
        inspect(write_other(tmp_path / "other.gguf", architecture, **options))


def test_each_kind_of_file_is_accepted_where_it_is_asked_for(tmp_path: Path, tiny_model: Path) -> None:
    lora, encoder = write_lora(tmp_path / "lora.gguf"), write_other(tmp_path / "bert.gguf", "bert")
    assert inspect(lora, takes=("adapter",)).kind == "adapter"
    assert inspect(encoder, takes=("embeddings", "model")).sha256
    assert describe(encoder, ("embeddings",)).sha256 == ""
    with pytest.raises(AdapterError, match="is a language model, but another kind of file"):
        inspect(tiny_model, takes=("adapter",))


def test_without_the_package_a_file_s_reader_says_how_to_get_it(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(AdapterError, match="pip install"):
        describe(tiny_model)


@given(st.binary(max_size=200), st.integers(0, 60))
def test_no_header_is_more_than_a_sentence(content: bytes, at: int) -> None:
    whole = gguf(LLAMA, ("general.name", 8, text("x")), ("y", 9, struct.pack("<IQ", 8, 1) + text("z")))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "odd.gguf"
        path.write_bytes(whole[: 4 + at] + content)
        with suppress(AdapterError):
            inspect(path)


@pytest.fixture
def split(tmp_path: Path, tiny_model: Path) -> list[Path]:
    """The tiny model in three shards, as llama-gguf-split writes them."""
    from gguf import GGUFReader, GGUFValueType, GGUFWriter

    reader = GGUFReader(tiny_model)
    most = -(-len(reader.tensors) // 3)
    writer = GGUFWriter(tmp_path / "tiny.gguf", "llama", split_max_tensors=most)
    for key, field in reader.fields.items():
        if not key.startswith("GGUF.") and key != "general.architecture":
            kind = field.types[0]
            inner = field.types[-1] if kind == GGUFValueType.ARRAY else None
            writer.add_key_value(key, field.contents(), kind, sub_type=inner)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, tensor.data, raw_shape=tensor.data.shape, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return sorted(tmp_path.glob("tiny-*.gguf"))


def test_a_split_model_is_one_model(split: list[Path], tiny_model: Path) -> None:
    assert len(split) == 3
    file = inspect(split[0])
    assert file.parameters == inspect(tiny_model).parameters
    assert file.size == sum(shard.stat().st_size for shard in split)
    assert file.sha256 == hashlib.sha256(b"".join(shard.read_bytes() for shard in split)).hexdigest()
    with split[1].open("r+b") as shard:
        shard.seek(-4, 2)
        shard.write(b"\1\2\3\4")
    assert inspect(split[0]).sha256 != file.sha256


def test_a_shard_that_is_missing_or_not_the_first_is_named(split: list[Path]) -> None:
    with pytest.raises(AdapterError, match=r"part 2 of 3: name the first part, tiny-00001-of-00003\.gguf"):
        inspect(split[1])
    split[2].unlink()
    with pytest.raises(AdapterError, match="shard 3 of 3 is missing"):
        inspect(split[0])
