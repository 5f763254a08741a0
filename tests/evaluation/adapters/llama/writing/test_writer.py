"""Writing answers under a form: the model's own closing tokens, and thinking before the grammar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from evaluation.adapters.forms import Fixed, Form, Thinking
from evaluation.adapters.llama.engine import Engine, EngineSettings
from evaluation.adapters.llama.writing.writer import Task, Writer
from evaluation.core.rng import Stream
from evaluation.goldevidence.adapters.answer_forms import answer_form, one_citation_form
from tests.tiny_gguf import MERGES, write_tiny_gguf

pytestmark = pytest.mark.llama
IDS = ["U00A001", "U00B001"]
CLOSING = ['" ,', '" }', '", Ġ', '",Ġ "']  # tokens that end a string and begin what follows it


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    path = write_tiny_gguf(tmp_path_factory.mktemp("models") / "closing.gguf", merges=[*MERGES, *CLOSING])
    engine = Engine(str(path), EngineSettings(context=512, batch=64, threads=1, sequences=2))
    yield engine
    engine.close()


class Scripted(Writer):
    """A real writer with a fake model that prefers to write these pieces, if its form allows them."""

    def __init__(self, engine: Engine, pieces: Sequence[str]) -> None:
        super().__init__(engine)
        by_piece = {engine.piece(token, special=True): token for token in range(engine.vocab_size)}
        self.left = [by_piece[piece.encode()] for piece in pieces]

    def _draw(self, logits: Any, stream: Stream) -> int:
        if len(logits) < self.engine.vocab_size or not self.left:
            return int(logits.argmax())
        token = self.left.pop(0)
        assert np.isfinite(logits[token]), "the form forbids what the model writes"
        return token


def written(engine: Engine, form: Form, pieces: Sequence[str]) -> Task:
    task = Task(engine.tokenize("value: "), form, Stream("t"))
    writer = Scripted(engine, pieces)
    writer.temperature = 1.0  # so that each token is drawn from all that are allowed
    writer.write([task])
    assert writer.left == []
    return task


@pytest.mark.parametrize("closing", ['"', '",', '", ', '"}', '", "'])
@pytest.mark.parametrize("form", ["standard", "legacy"])
def test_a_model_may_close_a_value_with_the_token_it_prefers(engine: Engine, closing: str, form: str) -> None:
    forms = {
        "standard": answer_form(IDS, most=1, max_chars=8),
        "legacy": one_citation_form(IDS, cite=True, max_chars=8),
    }
    task = written(engine, forms[form], [" ", '"', "t", "a", closing])
    support = {f'["{uid}"]' for uid in IDS} | ({"[]"} if form == "standard" else set())
    assert task.text in {f'{{"value": "ta", "support_ids": {each}}}' for each in support}


def test_however_a_value_is_closed_the_model_reads_on_in_the_same_tokens(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    fed: list[list[int]] = []
    decode = engine.decode
    monkeypatch.setattr(engine, "decode", lambda feeds: fed.append(list(feeds[0].tokens)) or decode(feeds))
    form = answer_form(IDS, most=1, max_chars=8)
    last = []
    for closing in ('"', '",', '"}'):
        fed.clear()
        written(engine, form, ['"', "t", closing])
        last.append(fed[-1])
    assert last[0] == last[1] == last[2]
    assert b"".join(map(engine.piece, last[0])).startswith(b'", "support_ids": [')


def test_a_value_may_look_like_what_follows_it_and_is_never_longer_than_it_may_be(engine: Engine) -> None:
    plain = answer_form([], most=0, max_chars=2)
    assert written(engine, plain, ['"', "t", '"}']).text == '{"value":"t"}'
    assert written(engine, plain, ['"', ",", " ", '", "']).text == '{"value":", "}'
    with pytest.raises(AssertionError, match="forbids"):
        written(engine, plain, ['"', "t", "a", "g"])


@pytest.mark.parametrize(
    ("pieces", "thoughts"),
    [
        (["a", "b", *"</think>"], "ab"),
        (["a", "<|end|>"], "a"),  # the end of the turn is none: the answer is still to come
        (["a", "b", *"</think"], "ab</think"[:9]),
    ],
    ids=["its own mark", "the end of its turn", "no room left"],
)
def test_thinking_ends_and_the_answer_follows_in_its_form(
    engine: Engine, pieces: list[str], thoughts: str
) -> None:
    form = (Thinking(len(pieces), "<think>\n", "</think>\n\n"), Fixed("{}"))
    task = written(engine, form, pieces)
    assert task.text == f"<think>{thoughts}</think>{{}}"
    assert task.usage.generated_tokens == len(pieces)
    assert not task.cut
