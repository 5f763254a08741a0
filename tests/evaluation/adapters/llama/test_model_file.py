"""What a GGUF file says about itself."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from evaluation.adapters.llama.model_file import inspect
from evaluation.core.errors import AdapterError
from tests.tiny_gguf import CHAT_TEMPLATE, write_tiny_gguf

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
