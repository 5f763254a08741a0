"""Settings that define a StateBench version. They are validated, and read and written as JSON."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from evaluation.core.records import Row
from evaluation.core.sealing import keyed_ids
from evaluation.core.sealing.limits import ATTACK_LIMITS, AttackLimits
from evaluation.core.settings import Key, OneOf, Seed, StrictBool, StrictInt, each_once, refused
from evaluation.core.suite.settings import VersionSettings
from evaluation.statebench.generator.scenes.plots import MOST
from evaluation.statebench.generator.scenes.telling import length_label
from evaluation.statebench.generator.scenes.tracks import TRACKS as SCENE_TRACKS
from evaluation.statebench.generator.tracks import TRACKS
from evaluation.statebench.grading.rubrics import DEFAULT_RUBRIC, RUBRICS, TYPED

SUITE = "statebench"
GENERATED, IMPORTED, SCENES = "generated", "import", "scenes"
MAX_COUNT = 100_000
#: Maximum tokens of unrelated talk around a scene.
MAX_LENGTH = 2_000_000


class Settings(VersionSettings):
    """The settings that define a version. Raises SettingsError with every invalid field."""

    suite: Annotated[str, OneOf((SUITE,))] = SUITE
    source: Annotated[str, OneOf((GENERATED, IMPORTED, SCENES))] = Field(
        GENERATED,
        description="Our generator with one template per track, the rows of a file, or the grammar of scenes.",
    )
    tracks: Annotated[
        tuple[Annotated[str, OneOf({**TRACKS, **SCENE_TRACKS})], ...], each_once("track", at_least_one=True)
    ] = Field(tuple(TRACKS), description="Tracks of the version.")
    count: StrictInt = Field(
        10, ge=1, le=MAX_COUNT, description="Timelines per track; for scenes, per template and length."
    )
    templates: StrictInt = Field(0, ge=0, le=MOST, description="Templates per track, for scenes only.")
    lengths: Annotated[tuple[Annotated[StrictInt, Field(ge=0, le=MAX_LENGTH)], ...], each_once("length")] = (
        Field((), description="Tokens of unrelated talk around a scene, 0 for none; for scenes only.")
    )
    seed: Seed = Field(0, description="Seed of the generator; drawn when a sealed version is frozen.")
    rubric: Annotated[str, OneOf(RUBRICS)] = Field(
        DEFAULT_RUBRIC, description="Rules of grading; strict and strict@3 belong to versions frozen earlier."
    )
    public_gold: StrictBool = Field(False, description="Whether downloaded rows have ground truth.")
    key: Key = Field("", description="Key of the ids; drawn at freeze.")
    attack_limits: AttackLimits = ATTACK_LIMITS

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        known = SCENE_TRACKS if self.source == SCENES else TRACKS
        if unknown := [name for name in self.tracks if name not in known]:
            raise refused(f"{unknown[0]!r} is not a track of the source {self.source!r}.", field="tracks")
        if self.source != SCENES:
            for name in ("templates", "lengths"):
                if getattr(self, name):
                    raise refused("is for scenes only.", field=name)
        elif not (self.templates and self.lengths):
            raise refused("must be given for scenes.", field="lengths" if self.templates else "templates")
        return self

    def as_json(self) -> dict[str, Any]:
        empty = self.left_empty("key", "attack_limits", "templates", "lengths")
        return self.model_dump(mode="json", exclude=empty)

    def withheld(self) -> list[str]:
        return [self.key, str(self.seed), *self.tracks]

    def shown_by_ids(self, row: Row) -> str:
        """A warning if the row's id begins with the seed, as ids of old versions do. Otherwise empty."""
        shows = str(row.get("id")).startswith(f"G{self.seed}-")
        return "This version's row ids show its seed, from which its answers can be rebuilt." if shows else ""

    def asked_with(self) -> dict[str, str]:
        """Settings that adapters need: the prompt for typed answers, if the rubric grades typed answers."""
        return {"prompt": "typed@1"} if self.rubric in TYPED else {}

    def facts(self) -> list[tuple[str, str]]:
        if self.source == IMPORTED:
            return [("Source", "imported timelines"), ("Rubric", self.rubric)]
        return [
            ("Source", self.source),
            ("Tracks", ", ".join(self.tracks)),
            *self._amounts(),
            ("Seed", str(self.seed)),
            ("Rubric", self.rubric),
            *([("Key", keyed_ids.describe_key(self.key))] if self.key else []),
        ]

    def _amounts(self) -> list[tuple[str, str]]:
        if self.source != SCENES:
            return [("Timelines per track", str(self.count))]
        return [
            ("Templates per track", str(self.templates)),
            ("Lengths", ", ".join(map(length_label, self.lengths))),
            ("Timelines per template and length", str(self.count)),
        ]


_CORE = ("supersession", "supersession_detection", "authority_hierarchy", "scope_permission")
#: Preset -> its purpose, for people.
ABOUT: dict[str, str] = {
    "smoke": "Two timelines of four tracks: does a pipeline work?",
    "quick": "Six timelines of every track: do superseded facts come back, is authority respected, do secrets leak?",
    "standard": "Forty timelines of every track, one template each: diagnostic, because shortcuts can answer it.",
    "decisions": "450 templates of 15 tracks, two timelines each: does a decision follow current facts and cite them?",
    "decisions_long": "60 templates among up to 128k tokens of unrelated talk: how long is a system reliable?",
    "decisions_short": "45 templates, alone and among 1k tokens of unrelated talk. A small model takes minutes.",
    "decisions_1m": "15 templates, alone and among a million tokens of unrelated talk.",
    "release_dev": "The published v1.0 release, imported unchanged and graded by its own judge.",
}
_SCENES: dict[str, Any] = {"source": SCENES, "tracks": tuple(SCENE_TRACKS), "rubric": "typed@1"}
PRESETS: dict[str, Settings] = {
    "smoke": Settings(tracks=_CORE, count=2),
    "quick": Settings(count=6, seed=1),
    "standard": Settings(count=40, seed=2),
    "decisions": Settings(**_SCENES, templates=30, lengths=(0,), count=2, seed=3),
    "decisions_long": Settings(
        **_SCENES, templates=4, lengths=(0, 1_000, 8_000, 32_000, 128_000), count=1, seed=4
    ),
    "decisions_short": Settings(**_SCENES, templates=3, lengths=(0, 1_000), count=1, seed=5),
    "decisions_1m": Settings(**_SCENES, templates=1, lengths=(0, 1_000_000), count=1, seed=6),
    "release_dev": Settings(source=IMPORTED, rubric="1.0"),
}
