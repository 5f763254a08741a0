"""Requantizing a GGUF file: the cost of reading and writing a token depends on the quantization."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from evaluation.adapters.llama.library import last_log, llama_api
from evaluation.core.errors import AdapterError

TYPES = ("Q4_0", "Q4_K_M", "Q8_0", "F16")


@contextmanager
def requantized(model: str, kind: str) -> Iterator[str]:
    """A temporary copy of a model with another quantization.

    Its quality is at best that of the file it was made from: good for timing, not for scores.

    Args:
        model: The GGUF file.
        kind: One of TYPES.

    Yields:
        The path of the copy.

    Raises:
        AdapterError: llama.cpp refuses, with its reason.
    """
    api = llama_api()
    params = api.llama_model_quantize_default_params()
    params.ftype = getattr(api, f"LLAMA_FTYPE_MOSTLY_{kind}")
    params.allow_requantize = True
    with TemporaryDirectory() as folder:
        copy = Path(folder) / f"{Path(model).stem}-as-{kind}.gguf"
        if api.llama_model_quantize(os.fsencode(model), os.fsencode(copy), ctypes.byref(params)):
            raise AdapterError(f"llama.cpp cannot write {Path(model).name} as {kind}: {last_log()}")
        yield str(copy)
