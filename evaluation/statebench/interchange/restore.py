"""Converts timelines of a release to our format, without the values that our export filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.core.records import JsonObject
from evaluation.statebench import public
from evaluation.statebench.data.timeline import check_timeline
from evaluation.statebench.generator.scene import VERSION
from evaluation.statebench.interchange.export import WITHHELD, WITHIN
from evaluation.statebench.interchange.release import RELEASES
from evaluation.statebench.records import Timeline

#: Fields that a row of the Hugging Face hub holds as JSON text, and fields that repeat their content.
PACKED = ("actors", "initial_state", "events", "metadata")
REPEATED = (
    "num_events",
    "num_queries",
    "user_name",
    "user_authority",
    "user_department",
    "user_organization",
)
#: Signature of our generator.
OURS = VERSION.partition("/")[0]
_MAPPED = RELEASES["1.0"]


def read_released(path: str | Path) -> Iterator[Timeline]:
    """Read and convert the timelines of a file. Each has ground truth for all its queries or none. Raises RowError."""
    for number, row in jsonl.read_numbered(path):
        try:
            timeline = from_release(row)
            check_timeline(timeline, graded=is_graded(timeline))
        except RowError as error:
            raise RowError(error.reason, path=str(path), line=number) from error
        yield timeline


def is_graded(timeline: Timeline) -> bool:
    return any("ground_truth" in event for event in timeline["events"] if event["type"] == "query")


def from_release(row: Mapping[str, object]) -> Timeline:
    """Convert a timeline of release 1.0 or 2.0, or a row from Hugging Face, to our format. Raises RowError.

    Values that our export filled in are removed, and the original track is restored.
    """
    row = _unpacked(row)
    check_timeline(row, graded=False)
    row = row | {"events": [_event(event) for event in row["events"]]}
    metadata = row.get("metadata")
    template = metadata.get("template_id") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(template, str):
        return cast(Timeline, row)
    if template == WITHHELD:
        hidden = (*public.HIDDEN, *public.LABELS)
        return cast(Timeline, {name: row[name] for name in row if name not in hidden})
    if str(metadata.get("generator_version")).startswith(OURS):
        metadata = {name: value for name, value in metadata.items() if name != "generated_at"}
    return cast(Timeline, row | {"metadata": metadata} | _named(row.get("track"), template, metadata))


def _unpacked(row: JsonObject) -> dict[str, Any]:
    packed = {name: row[name] for name in PACKED if isinstance(row.get(name), str)}
    if not packed:
        return dict(row)
    layers = {name: jsonl.parse(text.encode()) if text else None for name, text in packed.items()}
    return {name: value for name, value in row.items() if name not in REPEATED} | layers


def _event(event: Mapping[str, object]) -> dict[str, Any]:
    truth = event.get("ground_truth")
    if isinstance(truth, dict) and truth.get("decision") == WITHHELD:
        return {name: value for name, value in event.items() if name != "ground_truth"}
    return dict(event)


def _named(track: Any, template: str, metadata: Mapping[str, object]) -> dict[str, Any]:
    own, _, rest = template.partition(WITHIN)
    if own == track or _MAPPED.track(own) != track or own not in _MAPPED.nearest:
        return {}
    return {"track": own, "metadata": {**metadata, "template_id": rest or own}}
