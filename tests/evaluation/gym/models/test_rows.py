"""Rows made in numpy: the pieces of the prompts that the adapter sends, and the line that answers."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from evaluation.goldevidence.adapters.shown import shown
from evaluation.goldevidence.presets import get_preset
from evaluation.goldevidence.suite import SUITE
from evaluation.gym.frozen import FrozenError
from evaluation.gym.models.boards import board, seeds
from evaluation.gym.models.rows import ABSENT, NOTE, Kind, joined, sample
from evaluation.gym.models.vocabulary import LABELS, prompts_of, vocabulary

KNOWN = vocabulary()


def texts(batch, question=1):
    """The prompt texts for one question."""
    return [
        b"".join(
            KNOWN.pieces[piece].text
            for piece, part in zip(tokens, parts, strict=True)
            if part in (0, question)
        ).decode()
        for tokens, parts in zip(batch.tokens, batch.part, strict=True)
    ]


@pytest.mark.parametrize("preset", ["order_bias_short", "authority_short"])
def test_a_row_of_a_board_is_the_prompt_that_the_adapter_sends(preset):
    [seed] = islice(seeds("test", preset), 1)
    found = board(preset, [seed])
    version = SUITE.version(get_preset(preset).as_json() | {"seeds": [seed]})
    rows = [row for item in version.generate() for row in item.rows if "candidates" in row]
    prompts = prompts_of("ruled@1")
    batch = found.batch()
    for row, text, target, tokens, part in zip(
        rows, texts(batch), batch.target[:, 0], batch.tokens, batch.part, strict=True
    ):
        seen = shown(row, "closed_book")
        asked = "What is the current value of " + row["meta"]["key"] + "?"
        labels = dict(zip(seen.ids, LABELS, strict=False))
        prompt = prompts.select(seen, asked, labels, none_label=LABELS[len(seen.ids)])
        whole = f"{prompt.system}\n\n{prompt.user}\nAnswer: "
        assert text == whole
        assert KNOWN.encode(whole) == tokens[part != ABSENT].tolist()
        gold = row["gold"]["support_ids"][0] if row["gold"]["present"] else None
        assert gold == (None if target == len(seen.ids) else seen.ids[target])


@pytest.mark.parametrize(
    "kind",
    [
        Kind(),
        Kind(k=2, questions=1),
        Kind(k=8, questions=4, clears=0.4),
        Kind(spoofed=0.5),
        Kind(drops=0.3),
        Kind(order="gold_last", questions=1),
    ],
)
def test_the_answer_is_the_latest_change_of_the_tag_that_is_asked_about(kind):
    batch = sample(np.random.default_rng(3), 64, kind)
    for question in range(kind.questions):
        for text, target, weight in zip(
            texts(batch, question + 1), batch.target[:, question], batch.weight[:, question], strict=True
        ):
            *lines, _ = text.partition("record:\n")[2].partition("\n\n")[0].splitlines()
            assert len(lines) == kind.k
            tag = text.rpartition("value of ")[2].partition("?")[0]
            changes = [
                (int(words[1].removeprefix("step=")), words[2], words[0][0])
                for words in map(str.split, lines)
                if words[3] == tag and words[2] != "NOTE"
            ]
            _, op, letter = max(changes, default=(0, "?", ""))
            if op == "?":
                assert target == kind.k or weight == 0
            elif not kind.drops or target < kind.k:
                assert LABELS[target] == letter


def test_a_model_that_believes_notes_is_taught_the_latest_line_of_any_kind():
    batch = sample(np.random.default_rng(1), 100, Kind(notes=0.6, believes=True, questions=1))
    taken = set()
    for text, target in zip(texts(batch), batch.target[:, 0], strict=True):
        tag = text.rpartition("value of ")[2].partition("?")[0]
        words = [line.split() for line in text.partition("record:\n")[2].splitlines()[:4]]
        _, op, letter = max((int(each[1][5:]), each[2], each[0][0]) for each in words if each[3] == tag)
        assert LABELS[target] == letter
        taken.add(op)
    assert "NOTE" in taken


def test_where_lines_are_dropped_many_questions_have_no_answer():
    rng = np.random.default_rng(0)
    shares = [
        float((sample(rng, 400, Kind(questions=1, drops=drops)).target == 4).mean()) for drops in (0.0, 0.5)
    ]
    assert shares[0] < 0.1 < 0.4 < shares[1]


def test_gold_that_is_last_is_last_and_shuffled_gold_is_everywhere():
    rng = np.random.default_rng(0)
    last = sample(rng, 400, Kind(order="gold_last", questions=1))
    assert set(last.target[last.weight > 0].tolist()) == {3}
    anywhere = sample(rng, 4000, Kind(questions=1))
    places = np.bincount(anywhere.target[anywhere.weight > 0], minlength=4)
    assert places.min() > 0.22 * places.sum()


def test_a_kind_without_notes_has_none_and_spoofed_lines_are_longer():
    rng = np.random.default_rng(0)
    assert not any(
        " NOTE " in text.partition("record:\nA")[2] for text in texts(sample(rng, 50, Kind(notes=0.0)))
    )
    plain, spoofed = (sample(rng, 50, replace(Kind(), spoofed=rate)).tokens.shape[1] for rate in (0.0, 0.9))
    assert spoofed > plain


def test_joined_prompts_say_the_same():
    rng = np.random.default_rng(0)
    one, other = sample(rng, 5, Kind(questions=1)), sample(rng, 6, Kind(questions=1, spoofed=0.9))
    assert texts(joined(one, other)) == texts(one) + texts(other)


def test_rows_of_a_board_have_the_same_lines_and_answer_in_another_order():
    [seed] = islice(seeds("test"), 1)
    found = board("order_bias_short", [seed])
    as_they_are, mixed = found.batch(), found.batch(rng=np.random.default_rng(0))

    def lines(batch):
        shown = [text.partition("record:\n")[2].splitlines()[:4] for text in texts(batch)]
        right = [each[target][3:] for each, target in zip(shown, batch.target[:, 0], strict=True)]
        return [sorted(line[3:] for line in each) for each in shown], right

    assert lines(as_they_are) == lines(mixed)
    assert np.bincount(mixed.target[:, 0]).min() > 0.2 * len(mixed.target)


def test_seeds_of_presets_are_refused():
    with pytest.raises(FrozenError, match="seed 0 "):
        board("order_bias_short", [0])


def test_a_note_never_answers():
    [seed] = islice(seeds("test"), 1)
    found = board("order_bias_short", [seed])
    row = np.arange(len(found.asked))
    assert NOTE not in found.lines.op[row, found.gold[:, 0]]
