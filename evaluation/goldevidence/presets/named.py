"""The presets of this package, with their purposes."""

from __future__ import annotations

from typing import Any

from evaluation.core.errors import UnknownNameError
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.fields import condition_name
from evaluation.goldevidence.conditions.perturb import GOLD_AT
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.fields import LATEST_REVISION, PROSE
from evaluation.goldevidence.generator.ladder.rungs import KILO, MEGA
from evaluation.goldevidence.generator.ladder.settings import Ladder
from evaluation.goldevidence.generator.modes import MODES
from evaluation.goldevidence.presets import deep
from evaluation.goldevidence.presets.settings import WORST_ORDER, Settings
from evaluation.goldevidence.retrieval import EARLIEST

#: Two modes of twelve tags: the ledger of one holds NOTEs. Twelve questions an episode, which share its texts, are what
#: forty episodes take to show that a system holds at all lengths (`power.QUESTIONS_FOR_LENGTHS`). Every depth comes
#: with every number of writes equally often, under little and under much distraction: the episodes of a mode are a
#: multiple of ten, which is a round of the cells with two numbers of writes and with three.
#: No twins and no pairs without instructions: each further text costs a reader 170,000 tokens.
_LADDER = GeneratorConfig(
    episodes=20,
    keys=12,
    queries=12,
    chapters=4,
    twins=False,
    distractor_profile="instruction_suite",
    revision=LATEST_REVISION,
)
#: 2k tokens hold 33 lines of the ledger: twelve tags of two or three writes with three notes.
_FROM_2K = _LADDER.having(note_rate=0.09)
_FEW_WRITES = (2, 3)
#: Every place of four lines equally often: a place that never holds the gold line would be a hint.
PLACES = tuple(GOLD_AT)[:4]
# In the manner of the published order-bias and commentary figures: 5 seeds, 24 questions a seed, 200 and 240 steps.
# Those have one episode a seed, 10 keys, 6 chapters, direct questions and no twins (`published.DATASETS`); these have
# as many questions over eight episodes a seed, 40 in all: a rank takes units, not rows (`statistics.power`). Half of
# them are kv_commentary, whose ledgers hold the NOTEs that stand among the candidates.
_ORDER_BIAS = GeneratorConfig(
    episodes=4,
    steps=200,
    keys=24,
    queries=3,
    state_mode="kv",
    distractor_profile="standard",
    distractor_rate=0.7,
    clear_rate=0.01,
    note_rate=0.30,
    tail_distractor_steps=80,
    revision=LATEST_REVISION,
)
_MODES = ("kv", "kv_commentary")
# Notes of a watch in sentences, each difficulty at a rate that leaves plain questions to compare with. Nothing is
# updated in the last third of an episode, so that the last sentence about a tag is seldom the one that holds.
_PROSE = GeneratorConfig(
    episodes=10,
    steps=120,
    keys=12,
    queries=4,
    chapters=6,
    distractor_rate=0.7,
    note_rate=0.2,
    tail_distractor_steps=40,
    distractor_profile="instruction_suite",
    revision=LATEST_REVISION,
    aliases=0.3,
    indirect_rate=0.25,
    near_values=0.5,
    book_ledger=False,
    wording=PROSE,
)
_COMMENTARY = _ORDER_BIAS.having(
    episodes=20,
    steps=240,
    state_mode="kv_commentary",
    clear_rate=0.08,
    tail_distractor_steps=0,
)
_SEEDS = (0, 1, 2, 3, 4)


def _exactly(
    k: int, order: str = "shuffle", *, other_keys: int = 0, notes: int = 0, **more: Any
) -> Condition:
    """A condition with exactly k lines, named like one with `k` alone, because a preset has only one of the two."""
    settings = {"k": k, "order": order, **more}
    return Condition.from_json(
        settings | {"name": condition_name(settings), "exact": True, "other_keys": other_keys, "notes": notes}
    )


#: Two lines of the tag, one of another tag, and a NOTE if the ledger has any.
_FOUR: dict[str, Any] = {"other_keys": 1, "notes": 1}

#: A hundred episodes, twenty in each mode.
_STANDARD = GeneratorConfig(episodes=20, queries=3, revision=LATEST_REVISION)
_STANDARD_ORDERS = tuple(_exactly(4, order, rest="shuffled", **_FOUR) for order in PLACES)
#: With the rest sorted, the last place puts all four lines in ascending order: so place and sorting are varied apart.
_PLACED = tuple(
    _exactly(4, order, rest=rest, **_FOUR) for rest in ("ascending", "shuffled") for order in PLACES
)
_DROPPED_AND_SPOOFED = tuple(
    _exactly(4, drop_prob=drop, spoof_rate=spoof, **_FOUR)
    for drop, spoof in ((0.0, 0.0), (0.3, 0.0), (0.0, 0.25), (0.0, 0.5), (0.3, 0.25))
)
_RETRIEVED = tuple(
    _exactly(k, retriever=retriever) for retriever in ("key", "bm25", "tfidf") for k in (2, 4, 8)
)
#: Lexical scores of a tag's lines are mostly equal: at k = 2 BM25 finds the gold line in every row if the latest line
#: is ranked first, but in one row of five if the earliest is. That is luck, so a check of retrievers runs both.
_RETRIEVED_EITHER_WAY = (
    *_RETRIEVED,
    *(_exactly(k, retriever=retriever, ties=EARLIEST) for retriever in ("bm25", "tfidf") for k in (2, 4, 8)),
)

#: Preset -> the question it answers, for readers.
ABOUT: dict[str, str] = {
    "smoke": "Runs in seconds: does a pipeline work at all? Its answers are public.",
    "triage": "One short episode in each state mode: which mode breaks a system?",
    "quick": "Two state modes under every kind of distractor, small enough for a local model over lunch.",
    "standard": "Every state mode, with instructions and quotes among the distractors. Rows show the full text (the "
    "book), or the same four candidate lines in four orders.",
    "real": "Long episodes with a long tail in which nothing is updated.",
    "reference_v1": "The reference generator's defaults, graded by the reference's rubric. Its answers are public.",
    "order_bias": "The same four lines with the right one at each position: does the choice depend on its position, or "
    "on whether the other lines are sorted?",
    "k_curve": "Exactly one to sixteen candidates: how much accuracy does each further rival line cost?",
    "authority_stress": "Commentary in the ledger, gold that is sometimes missing, falsified authority markers.",
    "open_log": "The same episodes as in `standard`, answered from the log alone.",
    "build": "Two phases: the system builds a book from the log, then answers from this book alone. Both are measured.",
    "prose": "Notes that a harbour's watch wrote: sentences say what changed, among rumours and plans that look alike. "
    "Tags have other names, and values differ by one character.",
    "prose_short": "Notes that a harbour's watch wrote, one page per episode: sentences say what changed, among "
    "rumours and plans that look alike.",
    "retriever_sanity": "Does a retriever find the evidence, and how many lines does it need? Does the result depend "
    "on which of two lines with equal scores is ranked first?",
    "ladder": "How far does accuracy hold? The same facts and questions in logs of 2k, 8k, 32k and 128k tokens, with "
    "the last update early or late, two or three writes, and little or much about the tags in between.",
    "ladder_long": "Do facts survive in the longest contexts? The same facts and questions in logs of 512k and 1M "
    "tokens.",
    "ladder_short": "How far does accuracy hold? The same facts and questions in logs of 2k, 4k and 8k tokens. "
    "A small local model answers it in minutes.",
    "retrieval": "Do retrievers find the right line in ledgers with and without commentary? Is this line chosen?",
    "standard_short": "Every state mode in short episodes, with instructions and quotes among the distractors. Rows "
    "show the full text (the book), or the same four candidate lines in four orders.",
    "order_bias_short": "The same four lines with the right one at each position: does the choice depend on its "
    "position, or on whether the other lines are sorted?",
    "authority_short": "Commentary in the ledger of short episodes, gold that is sometimes missing, falsified "
    "authority markers.",
    "retrieval_short": "Do two retrievers find the right line in short ledgers with and without commentary? Is this "
    "line chosen?",
}
PRESETS: dict[str, Settings] = {
    "smoke": Settings(
        protocol="closed",
        generator=GeneratorConfig(
            episodes=1, steps=40, keys=6, queries=4, chapters=3, revision=LATEST_REVISION
        ),
        conditions=(Condition.from_json({"k": 4, "order": "shuffle"}),),
        public_gold=True,
    ),
    "triage": Settings(
        protocol="closed",
        generator=GeneratorConfig(
            episodes=1, steps=80, keys=10, queries=6, chapters=4, revision=LATEST_REVISION
        ),
        state_modes=tuple(MODES),
    ),
    "quick": Settings(
        protocol="closed",
        generator=GeneratorConfig(episodes=7, steps=120, queries=1, revision=LATEST_REVISION),
        state_modes=("kv", "kv_commentary"),
        distractor_profiles=("standard", "adversarial", "instruction"),
    ),
    "standard": Settings(
        protocol="closed",
        generator=_STANDARD,
        state_modes=tuple(MODES),
        distractor_profiles=("instruction_suite",),
        conditions=_STANDARD_ORDERS,
    ),
    "real": Settings(
        protocol="closed",
        generator=GeneratorConfig(
            episodes=4,
            steps=600,
            keys=30,
            queries=24,
            tail_distractor_steps=120,
            revision=LATEST_REVISION,
        ),
        state_modes=tuple(MODES),
        distractor_profiles=("adversarial", "instruction_suite"),
    ),
    # The reference generator's defaults.
    "reference_v1": Settings(rubric="reference", public_gold=True),
    "order_bias": Settings(
        protocol="closed",
        generator=_ORDER_BIAS.having(episodes=10),
        state_modes=_MODES,
        seeds=_SEEDS,
        conditions=_PLACED,
        headline=WORST_ORDER,
    ),
    "k_curve": Settings(
        protocol="closed",
        # Eight tags: some fifteen lines each, so that rivals of the same tag seldom run out.
        generator=_ORDER_BIAS.having(episodes=10, keys=8),
        state_modes=_MODES,
        seeds=_SEEDS,
        conditions=tuple(_exactly(k, other_keys=k // 4) for k in (1, 2, 4, 8, 16)),
    ),
    "authority_stress": Settings(
        protocol="closed",
        generator=_COMMENTARY,
        seeds=_SEEDS,
        conditions=_DROPPED_AND_SPOOFED,
    ),
    "retriever_sanity": Settings(
        protocol="closed",
        generator=_ORDER_BIAS.having(episodes=20),
        seeds=_SEEDS,
        conditions=_RETRIEVED_EITHER_WAY,
    ),
    "open_log": Settings(
        protocol="open",
        generator=_STANDARD,
        state_modes=tuple(MODES),
        distractor_profiles=("instruction_suite",),
    ),
    "build": Settings(
        protocol="build",
        generator=GeneratorConfig(episodes=8, queries=6, revision=LATEST_REVISION),
        state_modes=tuple(MODES),
        distractor_profiles=("instruction_suite",),
    ),
    "ladder": Settings(
        protocol="open",
        generator=_FROM_2K.having(episodes=30),
        state_modes=("kv", "kv_commentary"),
        ladder=Ladder(lengths=(2 * KILO, 8 * KILO, 32 * KILO, 128 * KILO), writes=_FEW_WRITES),
    ),
    "ladder_long": Settings(
        protocol="open",
        generator=_LADDER,
        state_modes=("kv", "kv_commentary"),
        ladder=Ladder(lengths=(512 * KILO, MEGA)),
    ),
    "ladder_short": Settings(
        protocol="open",
        generator=_FROM_2K,
        state_modes=("kv", "kv_commentary"),
        ladder=Ladder(lengths=(2 * KILO, 4 * KILO, 8 * KILO), writes=_FEW_WRITES),
    ),
    "prose": Settings(protocol="closed", generator=_PROSE, state_modes=_MODES, seeds=_SEEDS),
    "prose_short": Settings(
        protocol="closed",
        generator=_PROSE.having(
            episodes=4, steps=36, keys=6, queries=3, chapters=2, tail_distractor_steps=12
        ),
        state_modes=_MODES,
        seeds=_SEEDS,
    ),
    "retrieval": Settings(
        protocol="closed",
        generator=_ORDER_BIAS.having(episodes=10),
        state_modes=_MODES,
        seeds=_SEEDS,
        conditions=_RETRIEVED,
    ),
    # Frozen by the demo: forty episodes of each kind, in seconds.
    "standard_short": Settings(
        protocol="closed",
        generator=_STANDARD.having(episodes=8, steps=120),
        state_modes=tuple(MODES),
        distractor_profiles=("instruction_suite",),
        conditions=_STANDARD_ORDERS,
    ),
    "order_bias_short": Settings(
        protocol="closed",
        generator=_ORDER_BIAS,
        state_modes=_MODES,
        seeds=_SEEDS,
        conditions=_PLACED,
        headline=WORST_ORDER,
    ),
    "authority_short": Settings(
        protocol="closed",
        generator=_COMMENTARY.having(episodes=8, steps=120),
        seeds=_SEEDS,
        conditions=_DROPPED_AND_SPOOFED,
    ),
    "retrieval_short": Settings(
        protocol="closed",
        generator=_ORDER_BIAS.having(steps=140, tail_distractor_steps=20),
        state_modes=_MODES,
        seeds=_SEEDS,
        conditions=tuple(_exactly(k, retriever=name) for name in ("key", "bm25") for k in (2, 8)),
    ),
}


ABOUT |= deep.ABOUT
PRESETS |= deep.PRESETS


def get_preset(name: str) -> Settings:
    """A preset by name. Raises UnknownNameError with the nearest match."""
    if name not in PRESETS:
        raise UnknownNameError("preset", name, PRESETS)
    return PRESETS[name]
