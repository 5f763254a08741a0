"""The settings that define a StateBench version. Validated; JSON in, JSON out."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from evaluation.core.records import Row
from evaluation.core.sealing import keyed_ids
from evaluation.core.sealing.limits import ATTACK_LIMITS, AttackLimits
from evaluation.core.settings import (
    Key,
    OneOf,
    Seed,
    StrictBool,
    StrictInt,
    each_once,
)
from evaluation.core.suite.settings import VersionSettings
from evaluation.statebench.generator.tracks import TRACKS
from evaluation.statebench.grading.rubrics import DEFAULT_RUBRIC, RUBRICS

SUITE = "statebench"
GENERATED, IMPORTED = "generated", "import"
MAX_COUNT = 100_000


class Settings(VersionSettings):
    """Everything that defines a version. Raises SettingsError naming every field that does not validate."""

    suite: Annotated[str, OneOf((SUITE,))] = SUITE
    source: Annotated[str, OneOf((GENERATED, IMPORTED))] = Field(
        GENERATED, description="Our generator, or the rows of a file."
    )
    tracks: Annotated[tuple[Annotated[str, OneOf(TRACKS)], ...], each_once("track", at_least_one=True)] = (
        Field(tuple(TRACKS), description="The tracks that the version holds.")
    )
    count: StrictInt = Field(10, ge=1, le=MAX_COUNT, description="Timelines of each track.")
    seed: Seed = Field(0, description="Of the generator; drawn at freeze where sealed.")
    rubric: Annotated[str, OneOf(RUBRICS)] = Field(
        DEFAULT_RUBRIC,
        description="How answers are graded; strict and strict@3 are of versions frozen before.",
    )
    public_gold: StrictBool = Field(False, description="Whether downloaded rows keep their answers.")
    key: Key = Field("", description="Of the ids; drawn at freeze.")
    attack_limits: AttackLimits = ATTACK_LIMITS

    def as_json(self) -> dict[str, Any]:
        """The settings as JSON data, without a key or limits where there are none."""
        return self.model_dump(mode="json", exclude=self.left_empty("key", "attack_limits"))

    def withheld(self) -> list[str]:
        """Key, seed and the names of tracks."""
        return [self.key, str(self.seed), *self.tracks]

    def shown_by_ids(self, row: Row) -> str:
        """The seed, with which the id of a timeline once began."""
        shows = str(row.get("id")).startswith(f"G{self.seed}-")
        return "This version's row ids show its seed: its answers can be rebuilt." if shows else ""

    def facts(self) -> list[tuple[str, str]]:
        """The settings for a reader, as (label, text) pairs."""
        if self.source == IMPORTED:
            return [("Source", "imported timelines"), ("Rubric", self.rubric)]
        return [
            ("Source", "generated"),
            ("Tracks", ", ".join(self.tracks)),
            ("Timelines per track", str(self.count)),
            ("Seed", str(self.seed)),
            ("Rubric", self.rubric),
            *([("Key", keyed_ids.describe_key(self.key))] if self.key else []),
        ]


_CORE = ("supersession", "supersession_detection", "authority_hierarchy", "scope_permission")
#: What a version of each preset measures, for readers.
ABOUT: dict[str, str] = {
    "smoke": "Two timelines of four tracks: does a pipeline work at all?",
    "quick": "Six timelines of every track: does a superseded fact come back, who may change what, what leaks?",
    "standard": "Forty timelines of every track, for intervals narrow enough to rank by.",
    "release_dev": "The published v1.0 release, imported as it is and graded by its own judge.",
}
PRESETS: dict[str, Settings] = {
    "smoke": Settings(tracks=_CORE, count=2),
    "quick": Settings(count=6, seed=1),
    "standard": Settings(count=40, seed=2),
    "release_dev": Settings(source=IMPORTED, rubric="1.0"),
}
