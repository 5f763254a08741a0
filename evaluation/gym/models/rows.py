"""Prompts like those of the leaderboards, made in numpy: lines about a few tags, questions, and the right letters.

A version's own generator asks one question per prompt, and the step numbers of its lines are mostly far apart. Prompts
here ask several questions at once (a question does not see the others), and half of them have close step numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.goldevidence.conditions.perturb import IN_PASSING
from evaluation.goldevidence.generator.modes import MODES
from evaluation.gym.models.vocabulary import (
    LABELS,
    OPS,
    QUESTION,
    QUOTE,
    STEPS,
    TAGS,
    WORDS,
    change_text,
    head_of,
    label_text,
    prompts_of,
    tag_text,
    tail_of,
    vocabulary,
)

Ints = NDArray[np.int32]
Order = Literal["shuffled", "gold_last"]
SET, CLEAR, NOTE, NO_MARKER = range(len(OPS))
NO_REMARK, PASSING, QUOTING = range(3)
WIDTH = 11  # most pieces of a line: label, step, change, value in two, remark in six
ABSENT = -1
ROUND = 8  # prompts are padded to a multiple, as each width is compiled
PROMPT_SET = "ruled@1"
ASK = MODES["kv"].ask


@dataclass(frozen=True)
class Kind:
    """Parameters of rows. `notes`, `clears` and `spoofed` are shares of lines, `drops` and `close` are shares of rows.

    If `believes`, the right answers treat NOTE lines as updates, which is wrong.
    """

    k: int = 4
    questions: int = 2
    order: Order = "shuffled"
    notes: float = 0.3
    clears: float = 0.05
    spoofed: float = 0.0
    drops: float = 0.0
    close: float = 0.5
    believes: bool = False


class Lines(NamedTuple):
    """Lines of many prompts, each [rows, k], in the order shown."""

    op: Ints
    tag: Ints
    step: Ints
    remark: Ints
    value: Ints  # of WORDS × 10,000; ABSENT without a value


class Batch(NamedTuple):
    """Prompts to train on. A token attends to earlier tokens of part 0 (the lines) and of its own part."""

    tokens: Ints  # [rows, tokens]
    places: Ints  # [rows, tokens]: every question's positions continue those of the lines
    part: Ints  # [rows, tokens]: 0 the lines, from 1 each question; ABSENT: padding
    target: Ints  # [rows, questions]: index of the letter; `k` is none of the lines
    weight: NDArray[np.float32]  # [rows, questions]


def sample(rng: np.random.Generator, rows: int, kind: Kind) -> Batch:
    lines = _lines(rng, rows, kind)
    asked = _asked(rng, lines, kind)
    gold = golds(
        lines._replace(op=np.where(lines.op == NOTE, SET, lines.op)) if kind.believes else lines, asked
    )
    if kind.drops:
        lines, gold = _dropped(rng, lines, gold, kind)
    lines, gold = ordered(rng, lines, gold, kind.order)
    first = np.arange(kind.questions) == 0
    again = np.zeros(asked.shape, bool)
    for number in range(1, kind.questions):
        again[:, number] = (asked[:, :number] == asked[:, [number]]).any(axis=1)
    known = kind.drops > 0 or kind.spoofed > 0
    weight = np.where(again | ((gold == kind.k) & (not known)), 0.0, np.where(first, 1.0, 0.7))
    return batch(lines, asked, gold, weight.astype(np.float32))


def golds(lines: Lines, asked: Ints) -> Ints:
    """Index of the line that establishes the answer to each question, or k if no line does.

    Args:
        lines: [rows, k].
        asked: [rows, questions], the tags.
    """
    k = lines.op.shape[1]
    about = (lines.tag[:, None] == asked[:, :, None]) & (lines.op != NOTE)[:, None]
    step = np.where(about, lines.step[:, None], -1)
    latest = step.argmax(axis=2)
    row = np.arange(len(asked))[:, None]
    is_clear = about.any(axis=2) & (lines.op[row, latest] != NO_MARKER)
    return np.asarray(np.where(is_clear, latest, k), np.int32)


def batch(lines: Lines, asked: Ints, gold: Ints, weight: NDArray[np.float32]) -> Batch:
    """Prompts as tokens, padded on the left.

    Args:
        lines: The lines of the prompts.
        asked: [rows, questions], the tags.
        gold: [rows, questions], the answers.
        weight: [rows, questions], in the loss.
    """
    ids, (rows, k) = _ids(), lines.op.shape
    shown = _shown(lines)
    context = np.concatenate(
        [np.full((rows, 1), ids.head), shown.reshape(rows, -1), np.tile([ids.label[k], ids.none], (rows, 1))],
        axis=1,
    )
    there = context != ABSENT
    context = np.take_along_axis(context, np.argsort(there, axis=1, kind="stable"), axis=1)
    size = there.sum(axis=1, keepdims=True)
    width = -(-int(size.max()) // ROUND) * ROUND
    context = context[:, -width:]
    width = context.shape[1]
    questions = asked.shape[1]
    asks = np.stack([ids.question[asked], np.full_like(asked, ids.tail)], axis=2).reshape(rows, -1)
    fill = width - size
    places = np.concatenate([np.arange(width) - fill, size + np.tile([0, 1], (rows, questions))], axis=1)
    part = np.concatenate(
        [
            np.where(np.arange(width) < fill, ABSENT, 0),
            np.tile(np.repeat(np.arange(questions) + 1, 2), (rows, 1)),
        ],
        axis=1,
    )
    tokens = np.concatenate([np.where(context == ABSENT, 0, context), asks], axis=1)
    tokens, places, part, gold = (each.astype(np.int32) for each in (tokens, places, part, gold))
    return Batch(tokens, places, part, gold, weight)


def _shown(lines: Lines) -> Ints:
    """[rows, k, WIDTH], the pieces of each line."""
    ids, (rows, k) = _ids(), lines.op.shape
    shown = np.full((rows, k, WIDTH), ABSENT, np.int32)
    has = lines.value != ABSENT
    word, number = np.divmod(lines.value, 10_000)
    first, last = ids.value[word, number // 100], ids.number[number % 100]
    change = ids.change[lines.op, lines.tag]
    shown[..., 0], shown[..., 1], shown[..., 2] = ids.label[:k], ids.step[lines.step], change
    shown[..., 3], shown[..., 4] = np.where(has, first, ABSENT), np.where(has, last, ABSENT)
    passing, quoting = lines.remark == PASSING, lines.remark == QUOTING
    shown[passing, 5] = ids.passing
    for place, piece in enumerate(
        (np.full_like(change, ids.quote), shown[..., 1], ids.change[SET][lines.tag], first, last)
    ):
        shown[quoting, 5 + place] = piece[quoting]
    shown[quoting, 10] = ids.closing
    return shown


def joined(one: Batch, other: Batch) -> Batch:
    """Concatenate two batches with the same number of questions."""
    width = max(one.tokens.shape[1], other.tokens.shape[1])

    def filled(array: Ints, value: int) -> Ints:
        return np.pad(array, ((0, 0), (width - array.shape[1], 0)), constant_values=value)

    pairs = [
        [filled(getattr(each, name), value) for each in (one, other)]
        for name, value in (("tokens", 0), ("places", 0), ("part", ABSENT))
    ]
    rest = [[getattr(each, name) for each in (one, other)] for name in ("target", "weight")]
    return Batch(*map(np.concatenate, [*pairs, *rest]))


def _lines(rng: np.random.Generator, rows: int, kind: Kind) -> Lines:
    """Lines by ascending step. Most are about the asked tag, all others about a few other tags."""
    k = kind.k
    tags = rng.integers(0, TAGS, (rows, 1 + k), dtype=np.int32)
    tags[:, 1:] = (tags[:, :1] + 1 + tags[:, 1:] % (TAGS - 1)) % TAGS  # other tags differ from the asked one
    of_key = np.where(rng.random((rows, 1)) < 0.75, -(-3 * k // 4), rng.integers(1, k + 1, (rows, 1)))
    of_key[rng.random(rows) < 0.25] = max(1, k // 2)
    which = np.where(np.arange(k) < of_key, 0, 1 + rng.integers(0, max(1, k // 2), (rows, k)))
    which = rng.permuted(which, axis=1)
    tag = np.take_along_axis(tags, which, axis=1)
    dice = rng.random((rows, k))
    noted = kind.notes * 2 * rng.random((rows, 1))  # varies between rows
    op = np.where(dice < noted, NOTE, np.where(dice > 1 - kind.clears, CLEAR, SET))
    widest = np.where(rng.random((rows, 1)) < kind.close, np.log(8), np.log(110))
    gaps = np.ceil(np.exp(rng.random((rows, k)) * widest))
    step = (np.cumsum(gaps, axis=1) + rng.integers(0, 240, (rows, 1)) * rng.random((rows, 1))).astype(
        np.int32
    )
    step = np.minimum(step, STEPS - k + np.arange(k))
    remark = np.zeros((rows, k), np.int32)
    if kind.spoofed:
        spoofed, lot = rng.random((rows, k)) < kind.spoofed, rng.integers(0, 3, (rows, k))
        remark = np.where(spoofed & (lot > 0), np.where(op == NOTE, QUOTING, PASSING), NO_REMARK)
        op = np.where(spoofed & (lot == 0), NO_MARKER, op)
    value = rng.integers(0, len(WORDS) * 10_000, (rows, k), dtype=np.int32)
    value = np.where(op == CLEAR, ABSENT, value)
    return Lines(*(each.astype(np.int32) for each in (op, tag, step, remark, value)))


def _asked(rng: np.random.Generator, lines: Lines, kind: Kind) -> Ints:
    """Tags to ask about, taken from the lines, preferably from lines that change the tag."""
    asked = np.empty((len(lines.op), kind.questions), np.int32)
    row = np.arange(len(asked))
    better = (lines.op != NOTE).astype(float)
    for number in range(kind.questions):
        asked[:, number] = lines.tag[row, (rng.random(lines.op.shape) + better).argmax(axis=1)]
        better -= 3 * (lines.tag == asked[:, [number]])  # prefer tags not asked about yet
    return asked


def _dropped(rng: np.random.Generator, lines: Lines, gold: Ints, kind: Kind) -> tuple[Lines, Ints]:
    """In some rows, change the tag of the line that answers the first question, so that no line answers it."""
    rows = np.flatnonzero((rng.random(len(gold)) < kind.drops) & (gold[:, 0] < kind.k))
    place, tag = gold[rows, 0], lines.tag.copy()
    old = tag[rows, place]
    tag[rows, place] = (old + rng.integers(1, TAGS, len(rows))) % TAGS
    gold = np.where((gold == gold[:, :1]) & np.isin(np.arange(len(gold)), rows)[:, None], kind.k, gold)
    return lines._replace(tag=tag), gold


def ordered(
    rng: np.random.Generator, lines: Lines, gold: Ints, order: Order = "shuffled"
) -> tuple[Lines, Ints]:
    """Reorder the lines of each prompt. Returns the lines and the new indices of the answers.

    Args:
        lines: [rows, k].
        gold: [rows, questions].
    """
    rows, k = lines.op.shape
    draw = rng.random((rows, k))
    if order == "gold_last":
        there = np.flatnonzero(gold[:, 0] < k)
        draw[there, gold[there, 0]] = 2
    places = np.argsort(draw, axis=1)
    back = np.concatenate([np.argsort(places, axis=1), np.full((rows, 1), k)], axis=1)
    return Lines(*(np.take_along_axis(each, places, axis=1) for each in lines)), np.take_along_axis(
        back, gold, axis=1
    ).astype(np.int32)


class Pieces(NamedTuple):
    """The ids in the vocabulary of the pieces that make up prompts."""

    head: int
    tail: int
    none: int
    passing: int
    quote: int
    closing: int
    letter: Ints
    label: Ints
    step: Ints
    change: Ints  # [operations, tags]
    question: Ints
    value: Ints  # [words, 100]
    number: Ints


@cache
def _ids() -> Pieces:
    known, prompts = vocabulary(), prompts_of(PROMPT_SET)
    before, _, after = ASK.partition("{key}")
    return Pieces(
        head=known.id(head_of(prompts)),
        tail=known.id(after + tail_of(prompts)),
        none=known.id(prompts.none),
        passing=known.id(f" ({IN_PASSING})"),
        quote=known.id(QUOTE),
        closing=known.id(")"),
        letter=known.ids(list(LABELS)),
        label=known.ids([label_text(label) for label in LABELS]),
        step=known.ids([f"step={step} " for step in range(STEPS)]),
        change=np.stack([known.ids([change_text(op, tag) for tag in range(TAGS)]) for op in OPS]),
        question=known.ids([f"{QUESTION}{before}{tag_text(tag)}" for tag in range(TAGS)]),
        value=np.stack([known.ids([f" = {word}-{n:02d}" for n in range(100)]) for word in WORDS]),
        number=known.ids([f"{n:02d}" for n in range(100)]),
    )
