"""Settings of a ladder: its lengths, and the factors that are crossed at each length."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

from pydantic import AfterValidator, Field

from evaluation.core.settings import Rate, SettingsModel, StrictInt, each_once, refused
from evaluation.goldevidence.generator.ladder.rungs import MEGA

#: Shorter texts hold no useful episode; longer ones exceed every model of today.
SHORTEST, LONGEST = 512, 4 * MEGA
#: Limits that keep padding before and after a question's last update.
FIRST_DEPTH, LAST_DEPTH = 0.05, 0.95


def _ascending(values: tuple[int, ...]) -> tuple[int, ...]:
    if not values:
        raise refused("must name at least one length.")
    if any(later <= earlier for earlier, later in pairwise(values)):
        raise refused("must ascend, each length once.")
    return values


def _inside(values: tuple[float, ...]) -> tuple[float, ...]:
    if wrong := [value for value in values if not FIRST_DEPTH <= value <= LAST_DEPTH]:
        raise refused(f"must lie between {FIRST_DEPTH:g} and {LAST_DEPTH:g}, not {wrong[0]:g}.")
    return values


class Ladder(SettingsModel):
    """Settings of episodes that appear in texts of several lengths. Raises SettingsError naming every invalid field."""

    lengths: Annotated[
        tuple[Annotated[StrictInt, Field(ge=SHORTEST, le=LONGEST)], ...], AfterValidator(_ascending)
    ] = Field((2048, 8192, 32768, 131072), description="Lengths of the texts in tokens, shortest first.")
    depths: Annotated[tuple[Rate, ...], AfterValidator(_inside), each_once("depth", at_least_one=True)] = (
        Field(
            (0.1, 0.3, 0.5, 0.7, 0.9),
            description="Positions of a tag's last update, as shares of the text; crossed with the writes.",
        )
    )
    writes: Annotated[
        tuple[Annotated[StrictInt, Field(ge=1, le=50)], ...], each_once("number", at_least_one=True)
    ] = Field((2, 3, 5), description="Numbers of updates per tag.")
    shares: Annotated[tuple[Rate, ...], each_once("share", at_least_one=True)] = Field(
        (0.25, 0.75),
        description="Shares of the padding that claim a value of some tag; episodes take turns.",
    )
