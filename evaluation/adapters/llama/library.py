"""The llama.cpp library: import on first use, capture its log for error messages, load weights."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from types import ModuleType
from typing import Any, Literal, TypeAlias

from evaluation.adapters.llama.model_file import check_file
from evaluation.core.errors import AdapterError

LOG_ERROR = 3  # GGML_LOG_LEVEL_ERROR
AMX = b"AMX_INT8 = 1"  # in llama.cpp's system info if it was built for AMX
Repack: TypeAlias = Literal["auto", "on", "off"]
_log_lines: list[str] = []
_callbacks: list[Any] = []


def load_weights(path: str, *, gpu_layers: int = 0, repack: Repack = "auto") -> Any:
    """Load the model of a GGUF file; the caller frees it with `llama_model_free`. Raises AdapterError."""
    check_file(path)
    api = llama_api()
    _log_lines.clear()
    params = api.llama_model_default_params()
    params.n_gpu_layers = gpu_layers
    params.use_extra_bufts = may_repack(repack, api.llama_print_system_info())
    model = api.llama_model_load_from_file(os.fsencode(path), params)
    if not model:
        raise AdapterError(f"llama.cpp cannot load {path}: {last_log()}")
    return model


def apply_lora(model: Any, context: Any, path: str) -> None:
    """Apply a LoRA adapter at full strength to a model's context. Raises AdapterError if it does not fit the model."""
    check_file(path)
    api = llama_api()
    _log_lines.clear()
    adapter = api.llama_adapter_lora_init(model, os.fsencode(path))
    if not adapter:
        raise AdapterError(f"llama.cpp cannot apply the LoRA adapter {path}: {last_log()}")
    adapters, scales = (api.llama_adapter_lora_p_ctypes * 1)(adapter), (ctypes.c_float * 1)(1.0)
    if api.llama_set_adapters_lora(context, adapters, 1, scales):
        raise AdapterError(f"llama.cpp cannot apply the LoRA adapter {path}: {last_log()}")


def may_repack(wish: Repack, system_info: bytes) -> bool:
    """True if llama.cpp may rearrange quantized weights, which is faster. `auto` decides by the processor."""
    # GCC up to 12 (Debian 12's) drops most of AMX's tile configuration, because its `_tile_loadconfig` says that it
    # reads 8 of the 64 bytes. The first product of quantized weights then kills the process (llama.cpp issue 20824).
    # A library does not reveal its compiler, so `auto` avoids AMX.
    return AMX not in system_info if wish == "auto" else wish == "on"


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def last_log() -> str:
    """The last error lines of llama.cpp's log, for an error message; the log itself is not printed."""
    return "; ".join(_log_lines[-3:]) or "no reason given (is there enough memory?)"


@cache
def llama_api() -> ModuleType:
    """Import llama_cpp with its log silenced. Raises AdapterError with installation advice."""
    try:
        import llama_cpp
    except ImportError as error:
        raise AdapterError(
            "llama-cpp-python is not installed: in a checkout of the source, pip install '.[llama]' "
            f"(builds in a few minutes; needs a C++ compiler and CMake). [{error}]"
        ) from error

    def log(level: int, text: bytes, _data: Any) -> None:
        if level == LOG_ERROR:
            _log_lines.append(text.decode(errors="replace").strip())
            del _log_lines[:-8]

    callback = llama_cpp.llama_log_callback(log)
    llama_cpp.llama_log_set(callback, ctypes.c_void_p(0))
    _callbacks.append(callback)  # C keeps only the address
    llama_cpp.llama_backend_init()
    module: ModuleType = llama_cpp
    return module
