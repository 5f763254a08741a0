"""A network as a GGUF file: llama.cpp tokenizes prompts by its vocabulary, and computes the same as JAX."""

from __future__ import annotations

import json
import subprocess
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from evaluation.gym.models.boards import seeds
from evaluation.gym.models.vocabulary import LABELS, vocabulary

ROOT = Path(__file__).parents[4]
PYTHON = ROOT / "build/gym/bin/python"
#: Run where JAX is: the file of a network that has learnt nothing, and its answers to prompts of a board.
UNTAUGHT = """
import json, sys
import jax, numpy as np
from pathlib import Path
from evaluation.gym.models import gguf_file
from evaluation.gym.models.boards import board
from evaluation.gym.models.network import begun, embeddings, logits
from evaluation.gym.models.shape import Shape
from evaluation.gym.models.vocabulary import vocabulary

known, shape = vocabulary(), Shape()
weights = begun(jax.random.key(0), shape, known)
table = np.asarray(embeddings(weights, known), np.float16).astype(np.float32)
batch = board("order_bias_short", [int(sys.argv[2])]).batch(np.arange(8))
said = logits(weights, known, shape, batch.tokens, batch.places, batch.part, [batch.tokens.shape[1] - 1])
card = dict(name="untaught", description="-", license="MIT", author="-")
gguf_file.write(Path(sys.argv[1]), weights, table, shape, known, card)
prompts = [tokens[part >= 0].tolist() for tokens, part in zip(batch.tokens, batch.part)]
print(json.dumps({"prompts": prompts, "said": np.asarray(said)[:, 0].tolist()}))
"""
pytestmark = pytest.mark.llama


@pytest.fixture
def engine_of():
    from evaluation.adapters.llama.engine import Engine, EngineSettings

    opened = []

    def open_file(path):
        opened.append(Engine(str(path), EngineSettings(context=512, batch=512, threads=1, kv_type="f32")))
        return opened[-1]

    yield open_file
    for each in opened:
        each.close()


def random_weights(shape):
    rng = np.random.default_rng(0)
    size, inner, layers = shape.size, shape.inner, shape.layers
    matrices = dict.fromkeys(("wq", "wk", "wv", "wo"), (size, size))
    matrices |= {"gate": (size, inner), "up": (size, inner), "down": (inner, size)}
    vectors = ("bq", "bk", "bv", "norm1", "norm2")
    return {
        "norm": np.ones(size),
        **{name: rng.normal(size=(layers, *each)) / 8 for name, each in matrices.items()},
        **{name: rng.normal(size=(layers, size)) for name in vectors},
    }


def test_llama_cpp_cuts_a_prompt_as_the_vocabulary_does(tmp_path, engine_of):
    from evaluation.gym.models.gguf_file import write
    from evaluation.gym.models.shape import Shape

    known, shape = vocabulary(), Shape()
    table = np.random.default_rng(0).normal(size=(len(known), shape.size)).astype(np.float32)
    card = {"name": "noise", "description": "-", "license": "MIT", "author": "-"}
    write(tmp_path / "noise.gguf", random_weights(shape), table, shape, known, card)
    engine = engine_of(tmp_path / "noise.gguf")
    text = "Lines of the record:\nA. step=29 SET tag.20 = teal-6803\né \\ ¿tag.7?\n\nQuestion: how?\nAnswer: "
    assert engine.tokenize(text) == known.encode(text)
    assert [engine.tokenize(letter) for letter in LABELS] == [[number] for number in known.ids(list(LABELS))]
    assert engine.pieces[1:] == [piece.text if len(piece.text) <= 256 else b"" for piece in known.pieces[1:]]
    assert (tmp_path / "noise.gguf").stat().st_size < 4_000_000


@pytest.mark.skipif(not PYTHON.exists(), reason="this machine has no JAX in build/gym (make build/gym.stamp)")
def test_llama_cpp_computes_what_jax_computes(tmp_path, engine_of):
    from evaluation.adapters.llama.engine import Feed

    path, [seed] = tmp_path / "untaught.gguf", islice(seeds("test"), 1)
    ran = subprocess.run([PYTHON, "-c", UNTAUGHT, path, str(seed)], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    told, engine = json.loads(ran.stdout), engine_of(path)
    letters = vocabulary().ids(list(LABELS))
    for prompt, said in zip(told["prompts"], told["said"], strict=True):
        engine.cut(0)
        [row] = engine.decode([Feed(0, 0, prompt)])
        np.testing.assert_allclose(row[letters], said, atol=0.05)
