"""Presets of questions that need several lines: all families, in texts of several lengths."""

from __future__ import annotations

from evaluation.goldevidence.data.families import FAMILIES, MOST_LINES
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.fields import LATEST_REVISION
from evaluation.goldevidence.generator.ladder.rungs import KILO, MEGA
from evaluation.goldevidence.generator.ladder.settings import Ladder
from evaluation.goldevidence.presets.settings import Settings

#: A hundred plots, twenty of each family, twelve questions about each text: intervals are over plots, and effective
#: lengths need a dozen questions a plot (docs/statistics.md).
_DEEP = GeneratorConfig(
    episodes=100,
    keys=16,
    queries=12,
    chapters=4,
    twins=False,
    max_support_k=MOST_LINES,
    distractor_profile="instruction_suite",
    revision=LATEST_REVISION,
    families=FAMILIES,
)
_KINDS = (
    "Answers that need several lines: counts over tags, chains, retractions, rights that come and go, and things "
    "described in other words"
)
ABOUT: dict[str, str] = {
    "deep": f"{_KINDS}, in texts of 8k, 32k and 128k tokens.",
    "deep_long": f"{_KINDS}, in texts of 512k and 1M tokens.",
    "deep_short": f"{_KINDS}, in texts of 2k, 4k and 8k tokens.",
}
PRESETS: dict[str, Settings] = {
    "deep": Settings(
        protocol="open", generator=_DEEP, ladder=Ladder(lengths=(8 * KILO, 32 * KILO, 128 * KILO))
    ),
    # Sixty plots: each length of a plot means a quarter of a million words to read.
    "deep_long": Settings(
        protocol="open", generator=_DEEP.having(episodes=60), ladder=Ladder(lengths=(512 * KILO, MEGA))
    ),
    # Small enough for the demo to freeze. A text of 1k tokens is too short for a plot.
    "deep_short": Settings(
        protocol="open",
        generator=_DEEP.having(episodes=40, keys=12),
        ladder=Ladder(lengths=(2 * KILO, 4 * KILO, 8 * KILO)),
    ),
}
