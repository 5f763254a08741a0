"""Computes how many lines a plot may have so that they fit into the shortest text with padding between them."""

from __future__ import annotations

from evaluation.core.tokens import digit_tokens
from evaluation.goldevidence.data.book import RULES
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.generator.families import prose, published
from evaluation.goldevidence.generator.fields import PROSE
from evaluation.goldevidence.generator.ladder.room import HEADING, Problem
from evaluation.goldevidence.generator.ladder.rungs import rung_name
from evaluation.goldevidence.generator.ladder.settings import Ladder
from evaluation.goldevidence.protocols import Protocol

#: Most lines of a plot: more would make supports longer, not harder.
MOST = 96
#: Fewest lines after those that first set every tag; and fewest lines of a plot of few tags.
BESIDE, FEWEST = 18, 30
#: Share of the shortest text that the plot may take.
SHARE = 0.7
_GLOSSARY = 13  # tokens of a line of the glossary


def lines_of(config: GeneratorConfig, ladder: Ladder, family: str, protocol: Protocol) -> int:
    in_book, in_prose = protocol is Protocol.CLOSED, is_prose(config, family)
    head = HEADING * config.chapters
    if in_prose:
        head += digit_tokens(prose.RULES)
    elif in_book:
        head += digit_tokens(RULES + published.MORE_RULES) + _GLOSSARY * config.keys
    line = prose.LINE_TOKENS if in_prose else published.LINE_TOKENS[in_book]
    return min(MOST, int(SHARE * (ladder.lengths[0] - head) // line))


def is_prose(config: GeneratorConfig, family: str) -> bool:
    """True if texts are written in sentences, as they always are in the family `meaning`."""
    return config.wording == PROSE or family == "meaning"


def problem_of(config: GeneratorConfig, ladder: Ladder, protocol: Protocol) -> Problem | None:
    """Report a family whose plots need more lines than the shortest length can contain; None if all fit."""
    for family in config.families:
        needed = config.keys + BESIDE if family in ("aggregate", "chain", "meaning") else FEWEST
        if (fit := lines_of(config, ladder, family, protocol)) < needed:
            return Problem(
                "ladder.lengths",
                f"{rung_name(ladder.lengths[0])} tokens hold {max(0, fit)} lines of the family {family}, and it needs "
                f"{needed}: use fewer tags or chapters, or a longer shortest length.",
            )
    return None
