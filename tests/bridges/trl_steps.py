"""`trl`: a transformer of random weights is trained on exports (SFT, DPO), then by rewards of the gym (GRPO)."""

from __future__ import annotations

import contextlib
import math
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

os.environ |= {
    "HF_HUB_OFFLINE": "1",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
}

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed

from evaluation.core import jsonl
from tests.bridges.recipes import recipe

#: Roles are marked; what the assistant says is what is learnt.
TEMPLATE = (
    "{% for turn in messages %}<|{{ turn.role }}|>{% if turn.role == 'assistant' %}{% generation %}{{ turn.content }}"
    "<|end|>{% endgeneration %}{% else %}{{ turn.content }}<|end|>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIAL = ["<|end|>", "<|pad|>", "<|system|>", "<|user|>", "<|assistant|>"]
#: The settings of the recipe are those of a model that can read; ours learns from nothing, and fast.
EXPORTED = {"0.2": "0.0"}
TRAINED = {
    '"Qwen/Qwen3-0.6B"': '"tiny"',
    "0.2": "0.0",
    "max_steps=500": "max_steps=100, learning_rate=3e-3, use_cpu=True, logging_steps=5",
    "max_steps=200": "max_steps=20, learning_rate=1e-4, use_cpu=True, logging_steps=5",
    "max_steps=300": "max_steps=40, learning_rate=3e-4, use_cpu=True, logging_steps=1",
}


def steps() -> Iterator[tuple[str, str]]:
    """(action, result): lines of the table."""
    set_seed(0)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        exec(recipe("from itertools import islice\n\nfrom evaluation.gym.bridges", EXPORTED), {})
        parameters = make_model(Path("tiny"), [line["messages"] for line in jsonl.read("chat.jsonl")])
        names: dict[str, Any] = {}
        exec(recipe("from trl import", TRAINED), names)
    logs = {trainer: names[trainer].state.log_history for trainer in ("sft", "dpo", "grpo")}
    loss = series(logs["sft"], "loss")
    assert loss[-1] < loss[0] / 2, loss
    yield (
        f"`SFTTrainer` on `chat`, {parameters:,} random weights, {last_step(logs['sft'])} steps",
        f"loss of the replies {loss[0]:.2f} → {loss[-1]:.2f}",
    )
    margin, right = series(logs["dpo"], "rewards/margins"), series(logs["dpo"], "rewards/accuracies")
    assert margin[-1] > margin[0] > 0, margin
    yield (
        f"`DPOTrainer` on `preferences`, {last_step(logs['dpo'])} steps",
        f"margin {margin[0]:.2f} → {margin[-1]:.2f}, the right reply preferred in {right[-1]:.0%}",
    )
    read, total = series(logs["grpo"], "rewards/readable/mean"), series(logs["grpo"], "rewards/total/mean")
    first, last = (sum(each) / len(each) for each in (read[:10], read[-10:]))
    assert last > first, read
    yield (
        f'`GRPOTrainer` with `rewards("total", "readable")`, {last_step(logs["grpo"])} steps',
        f"`readable` {first:.3f} (first 10) → {last:.3f} (last 10); `total` {sum(total) / len(total):.3f}",
    )


def series(log: Sequence[dict[str, float]], name: str) -> list[float]:
    """The values of a figure, step by step."""
    values = [line[name] for line in log if name in line]
    assert all(map(math.isfinite, values)), values
    return values


def last_step(log: Sequence[dict[str, float]]) -> int:
    """The number of training steps."""
    return int(log[-1]["step"])


def make_model(folder: Path, chats: Sequence[Sequence[dict[str, str]]]) -> int:
    """Write a transformer of random weights with its own tokenizer; the number of weights."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer, bpe.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bpe.train_from_iterator(
        (turn["content"] for chat in chats for turn in chat),
        trainers.BpeTrainer(
            vocab_size=1024, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
        ),
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe, eos_token=SPECIAL[0], pad_token=SPECIAL[1])
    tokenizer.chat_template = TEMPLATE
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=2048,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=1,
    )
    model = LlamaForCausalLM(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return sum(each.numel() for each in model.parameters())
