"""Room: how many lines a plot has, so that the shortest text holds them with padding between them."""

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

#: Lines of a plot at most: more would make longer supports, not harder ones.
MOST = 96
#: Lines beside those in which every tag is set first, at least; and of a plot of few tags.
BESIDE, FEWEST = 18, 30
#: Share of the shortest text that they may take.
SHARE = 0.7
_GLOSSARY = 13  # tokens of a line of it


def lines_of(config: GeneratorConfig, ladder: Ladder, family: str, protocol: Protocol) -> int:
    """How many lines a plot has.

    Args:
        config: The settings of the generator.
        ladder: Those of the lengths.
        family: Its family.
        protocol: Which text is written.
    """
    in_book, in_prose = protocol is Protocol.CLOSED, is_prose(config, family)
    head = HEADING * config.chapters
    if in_prose:
        head += digit_tokens(prose.RULES)
    elif in_book:
        head += digit_tokens(RULES + published.MORE_RULES) + _GLOSSARY * config.keys
    line = prose.LINE_TOKENS if in_prose else published.LINE_TOKENS[in_book]
    return min(MOST, int(SHARE * (ladder.lengths[0] - head) // line))


def is_prose(config: GeneratorConfig, family: str) -> bool:
    """Whether texts are told in sentences: meaning always is.

    Args:
        config: The settings of the generator.
        family: The family.
    """
    return config.wording == PROSE or family == "meaning"


def problem_of(config: GeneratorConfig, ladder: Ladder, protocol: Protocol) -> Problem | None:
    """The first setting that plots of several lengths cannot have.

    Args:
        config: The settings of the generator.
        ladder: Those of the lengths.
        protocol: Which text is written.

    Returns:
        What is wrong first; None where they can be told.
    """
    for family in config.families:
        needed = config.keys + BESIDE if family in ("aggregate", "chain", "meaning") else FEWEST
        if (fit := lines_of(config, ladder, family, protocol)) < needed:
            return Problem(
                "ladder.lengths",
                f"{rung_name(ladder.lengths[0])} tokens hold {max(0, fit)} lines of the family {family}, and it needs "
                f"{needed}: use fewer tags or chapters, or a longer shortest length.",
            )
    return None
