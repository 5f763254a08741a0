"""The settings that define a StateBench version. Validated; JSON in, JSON out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from evaluation.core.checks import Checks
from evaluation.statebench.generator.tracks import TRACKS
from evaluation.statebench.grading.rubrics import RUBRICS

SUITE = "statebench"
GENERATED, IMPORTED = "generated", "import"
MAX_COUNT = 100_000
MAX_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Settings:
    """`source`: our generator, or rows of a file; `count` timelines per track; `rubric` grades the version.

    Raises SettingsError naming every field that does not validate.
    """

    suite: str = SUITE
    source: str = GENERATED
    tracks: tuple[str, ...] = tuple(TRACKS)
    count: int = 10
    seed: int = 0
    rubric: str = "strict"
    public_gold: bool = False
    key: str = ""  # of the ids (`keyed_ids`); empty: the one in the source

    def __post_init__(self) -> None:
        checks = Checks(self)
        checks.one_of("suite", (SUITE,))
        checks.one_of("source", (GENERATED, IMPORTED))
        checks.several("tracks", tuple(TRACKS))
        if not self.tracks:
            checks.refuse("tracks", "must name at least one track.")
        checks.integer("count", 1, MAX_COUNT)
        checks.integer("seed", 0, MAX_SEED)
        checks.one_of("rubric", tuple(RUBRICS))
        checks.boolean("public_gold")
        checks.key("key")
        checks.done()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Settings:
        """Settings from JSON data, defaults filled in."""
        Checks.names("setting", data, tuple(field.name for field in fields(cls)))
        values = dict(data)
        if isinstance(values.get("tracks"), list):
            values["tracks"] = tuple(values["tracks"])
        return cls(**values)

    def as_json(self) -> dict[str, Any]:
        """The settings as JSON data."""
        data = asdict(self) | {"tracks": list(self.tracks)}
        if not self.key:
            del data["key"]
        return data

    def describe(self) -> list[tuple[str, str]]:
        """The settings for a reader."""
        if self.source == IMPORTED:
            return [("Source", "imported timelines"), ("Rubric", self.rubric)]
        return [
            ("Source", "generated"),
            ("Tracks", ", ".join(self.tracks)),
            ("Timelines per track", str(self.count)),
            ("Seed", str(self.seed)),
            ("Rubric", self.rubric),
            *([("Key", self.key)] if self.key else []),
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
