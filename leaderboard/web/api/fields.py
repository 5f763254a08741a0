"""Types of text parameters. All of them refuse control characters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from ninja import Path, Schema
from pydantic import ConfigDict, Field, StringConstraints

from leaderboard.web.validators import FORBIDDEN

Slug = Annotated[str, Path(pattern=r"^[-a-zA-Z0-9_]{1,90}$", example="goldevidencebench")]
Name = Annotated[str, Path(pattern=rf"^[^{FORBIDDEN}/]{{1,150}}$", example="ada")]
Words = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=300, pattern=rf"^[^{FORBIDDEN}]*$")
]
VersionId = Annotated[
    str,
    Field(
        pattern=r"^([-a-zA-Z0-9_]{1,90}/[-a-zA-Z0-9_]{1,90})?$",
        description="`benchmark/version`, the `id` of a version.",
    ),
]
Kind = Literal["llm", "pipeline", "selector", "retriever", "strategy", "memory", "baseline"]
Link = Annotated[str, StringConstraints(max_length=200, pattern=r"^(https?://[^\s\x00]+)?$")]


def example(**values: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [values]})


def row_fields(out: type[Schema], row: Any, **changes: Any) -> dict[str, object]:
    """Values for the fields of a schema: the attributes of `row`, replaced and extended by `changes`."""
    return {name: getattr(row, name) for name in out.model_fields if name not in changes} | changes


def text_fields(descriptions: Mapping[str, str], max_length: int = 300) -> dict[str, Any]:
    """Field definitions of optional texts for `pydantic.create_model`, from name -> description."""
    return {
        name: (Annotated[Words, Field(description=text, max_length=max_length)], "")
        for name, text in descriptions.items()
    }
