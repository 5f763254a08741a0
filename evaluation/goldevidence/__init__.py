"""GoldEvidenceBench: tracking state through episode logs and selecting the evidence.

Public API:

    from evaluation import goldevidence

    rows = goldevidence.generate({"state_mode": "kv", "episodes": 2}, seed=7)
    report = goldevidence.grade_files("data.jsonl", "preds.jsonl")
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.goldevidence.generator.config import GeneratorConfig
    from evaluation.goldevidence.grading.grade import grade_files
    from evaluation.goldevidence.records import EpisodeRow

__all__ = ["GeneratorConfig", "generate", "grade_files"]


def generate(
    config: GeneratorConfig | Mapping[str, object] | None = None, seed: int = 0
) -> Iterator[EpisodeRow]:
    """Generate benchmark rows with gold, episode by episode, the rows of an episode before those of its twin.

    The same settings and seed give the same rows on every machine and Python build.

    Args:
        config: Settings of the generator, as an object or JSON data; None for the defaults.

    Raises:
        SettingsError: Names each bad field.
    """
    from evaluation.goldevidence.generator.config import GeneratorConfig
    from evaluation.goldevidence.generator.episodes import generate_units

    settings = config if isinstance(config, GeneratorConfig) else GeneratorConfig.from_json(config or {})
    for unit in generate_units(settings, seed):
        yield from unit.rows


def __getattr__(name: str) -> Any:
    # Loaded on first use: settings need pydantic, grading needs numpy, and both take time to import.
    if name == "grade_files":
        from evaluation.goldevidence.grading.grade import grade_files

        return grade_files
    if name == "GeneratorConfig":
        from evaluation.goldevidence.generator.config import GeneratorConfig

        return GeneratorConfig
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
