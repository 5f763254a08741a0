"""A tiny GGUF model made by the tests: random weights, byte-level vocabulary, llama architecture.

About 0.5 MB, loads in milliseconds, and runs through the real llama.cpp. Its words are noise; the grammar and
the contract make its answers valid, which is what tests check.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

WIDTH, LAYERS = 64, 2
MERGES = ["t a", "ta g", "tag .", "s t", "st e", "ste p", "step =", "S E", "SE T", "Ġ Ġ", '" :']
SPECIAL = ["<|begin|>", "<|end|>", "<|user|>", "<|assistant|>"]
CHAT_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "<|user|>{{ message['role'] }}: {{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def write_tiny_gguf(
    path: Path,
    *,
    seed: int = 0,
    context: int = 32768,
    chat_template: str | None = None,
    width: int = WIDTH,
    layers: int = LAYERS,
    quantized: bool = False,
    terse: bool = False,
    merges: Sequence[str] = MERGES,
) -> Path:
    """Write the model to `path` and return it. The same arguments give the same bytes.

    A greater `width` (of heads of 64) and more `layers` make a model whose speed is worth measuring; `quantized`
    stores the matrices as Q8_0, for which llama.cpp computes differently. A `terse` one ends its turn after a few
    tokens: its `<|end|>` is weighted fivefold, so that sampled answers take a dozen. Other `merges` give it other
    tokens of several letters.
    """
    import gguf

    head_size = min(64, width // 4)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    kind = gguf.LlamaFileType.MOSTLY_Q8_0 if quantized else gguf.LlamaFileType.ALL_F32
    writer.add_file_type(kind)
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(2 * width)
    writer.add_head_count(width // head_size)
    writer.add_head_count_kv(width // head_size)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(head_size)
    _add_vocabulary(writer, gguf, merges)
    if chat_template is not None:
        writer.add_chat_template(chat_template)
    weights = _weights(len(_vocabulary(merges)), seed, width, layers)
    if terse:
        weights["output.weight"][_vocabulary(merges).index("<|end|>")] *= 5
    for name, tensor in weights.items():
        if quantized and tensor.ndim == 2:
            q8 = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, gguf.quants.quantize(tensor, q8), raw_dtype=q8)
        else:
            writer.add_tensor(name, tensor)
    return _written(writer, path)


def write_lora(path: Path, *, seed: int = 1, rank: int = 4) -> Path:
    """Write a LoRA adapter of the tiny model (its queries) to `path` and return it."""
    import gguf

    random = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(rank))
    for layer in range(LAYERS):
        name = f"blk.{layer}.attn_q.weight"
        writer.add_tensor(f"{name}.lora_a", random.normal(0, 0.2, (rank, WIDTH)).astype(np.float32))
        writer.add_tensor(f"{name}.lora_b", random.normal(0, 0.2, (WIDTH, rank)).astype(np.float32))
    return _written(writer, path)


def write_other(path: Path, architecture: str, *, declared: str = "", pooling: int = 0) -> Path:
    """Write a file of one tensor to `path` and return it: an encoder, a projector, or another declared type."""
    import gguf

    writer = gguf.GGUFWriter(path, architecture)
    if declared:
        writer.add_type(declared)
    if pooling:
        writer.add_pooling_type(gguf.PoolingType(pooling))
    writer.add_tensor("token_embd.weight", np.ones((8, 32), np.float32))
    return _written(writer, path)


def _written(writer, path: Path) -> Path:  # type: ignore[no-untyped-def]
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_vocabulary(writer, gguf, merges: Sequence[str]) -> None:  # type: ignore[no-untyped-def]
    tokens = _vocabulary(merges)
    kinds = [gguf.TokenType.CONTROL if token in SPECIAL else gguf.TokenType.NORMAL for token in tokens]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(kinds)
    writer.add_token_merges(list(merges))
    writer.add_bos_token_id(tokens.index("<|begin|>"))
    writer.add_eos_token_id(tokens.index("<|end|>"))
    writer.add_add_bos_token(False)


def _vocabulary(merges: Sequence[str]) -> list[str]:
    return [*_byte_letters(), *(merge.replace(" ", "") for merge in merges), *SPECIAL]


def _byte_letters() -> list[str]:
    """GPT-2's printable letter for each byte 0..255 (Radford et al. 2019, `bytes_to_unicode`)."""
    printable = {*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


def _weights(vocabulary: int, seed: int, width: int, layers: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)

    def matrix(rows: int, columns: int) -> np.ndarray:
        return random.normal(0, columns**-0.5, (rows, columns)).astype(np.float32)

    weights = {"token_embd.weight": matrix(vocabulary, width), "output.weight": matrix(vocabulary, width)}
    weights["output_norm.weight"] = np.ones(width, np.float32)
    for layer in range(layers):
        block = f"blk.{layer}."
        for norm in ("attn_norm", "ffn_norm"):
            weights[f"{block}{norm}.weight"] = np.ones(width, np.float32)
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            weights[f"{block}{name}.weight"] = matrix(width, width)
        for name in ("ffn_gate", "ffn_up"):
            weights[f"{block}{name}.weight"] = matrix(2 * width, width)
        weights[f"{block}ffn_down.weight"] = matrix(width, 2 * width)
    return weights
