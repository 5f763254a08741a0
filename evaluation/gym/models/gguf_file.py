"""Write a trained network as a GGUF file of llama's architecture, with its vocabulary, for llama.cpp."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from evaluation.gym.models.shape import Shape
    from evaluation.gym.models.vocabulary import Vocabulary

CONTEXT = 2048  # tokens: lines for all 52 letters, spelled; the books of the boards are longer
TENSORS = {
    "norm1": "attn_norm.weight",
    "wq": "attn_q.weight",
    "wk": "attn_k.weight",
    "wv": "attn_v.weight",
    "bq": "attn_q.bias",
    "bk": "attn_k.bias",
    "bv": "attn_v.bias",
    "wo": "attn_output.weight",
    "norm2": "ffn_norm.weight",
    "gate": "ffn_gate.weight",
    "up": "ffn_up.weight",
    "down": "ffn_down.weight",
}
NORMAL, CONTROL = 1, 3  # types of tokens


def write(
    path: Path,
    weights: Mapping[str, Any],
    table: NDArray[np.float32],
    shape: Shape,
    known: Vocabulary,
    card: Mapping[str, str],
) -> None:
    """Write the GGUF file, atomically.

    Args:
        table: [pieces, size], the embeddings of all pieces.
        card: Name, description, author, licence.
    """
    from gguf import GGUFWriter

    beside = path.with_name(f"{path.name}.part")
    writer = GGUFWriter(beside, "llama")
    writer.add_name(card["name"])
    writer.add_description(card["description"])
    writer.add_license(card["license"])
    writer.add_author(card["author"])
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(shape.size)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.inner)
    writer.add_head_count(shape.heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(shape.head)
    writer.add_rope_freq_base(shape.base)
    writer.add_vocab_size(len(known))
    writer.add_file_type(1)  # mostly 16 bits
    writer.add_tokenizer_model("rwkv")
    writer.add_token_list([escaped(piece.text) for piece in known.pieces])
    writer.add_token_types([CONTROL, *[NORMAL] * (len(known) - 1)])
    writer.add_eos_token_id(0)
    writer.add_tensor("token_embd.weight", np.asarray(table, np.float16))
    writer.add_tensor("output_norm.weight", np.asarray(weights["norm"], np.float32))
    for layer in range(shape.layers):
        for name, tensor in TENSORS.items():
            value = np.asarray(weights[name][layer], np.float32)
            writer.add_tensor(f"blk.{layer}.{tensor}", np.ascontiguousarray(value.T))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    os.replace(beside, path)


def escaped(text: bytes) -> str:
    """A piece as the tokenizer expects it: printable ASCII, other bytes as `\\xNN`."""
    return "".join(chr(byte) if 32 <= byte < 127 and byte != ord("\\") else f"\\x{byte:02x}" for byte in text)
