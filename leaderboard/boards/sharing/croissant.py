"""Croissant 1.1 metadata of versions: https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.conf import settings
from django.urls import reverse

from evaluation.core.terminal.wording import number_of
from leaderboard.benchmarks.models import Version
from leaderboard.boards.sharing.licences import spdx_url
from leaderboard.submissions.rows.table_file import TableFile

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
FILE, ROWS = "rows.parquet", "rows"
#: Types of Parquet columns in the words of schema.org; all else is text.
TYPES = {"INT64": "sc:Integer", "DOUBLE": "sc:Float", "BOOLEAN": "sc:Boolean"}
_WORDS = (
    "arrayShape citeAs column containedIn equivalentProperty extract field fileObject fileProperty fileSet format "
    "includes isArray isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace "
    "samplingRate separator source subField transform"
).split()
_JSON, _TRANSLATED = {"@type": "@json"}, {"@container": "@language"}
#: The JSON-LD context of the specification. Terms that it does not define are terms of schema.org.
CONTEXT: Mapping[str, object] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data"} | _JSON,
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": _TRANSLATED,
    "examples": {"@id": "cr:examples"} | _JSON,
    "name": _TRANSLATED,
} | {word: f"cr:{word}" for word in _WORDS}


def croissant(
    version: Version, table: TableFile, whole: Callable[[str], str], citation: str
) -> dict[str, Any]:
    """Make the JSON-LD of a frozen version. `whole` makes a path an absolute URL, and `citation` is BibTeX."""
    benchmark = version.benchmark
    frozen = version.frozen_at or version.created_at
    licence = spdx_url(version.licence)
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": f"{benchmark.slug}-{version.slug}",
        "alternateName": f"{benchmark.title}: {version.title}",
        "description": _description(version),
        "url": whole(version.get_absolute_url()),
        "version": "1.0.0",  # a frozen version never changes; another one has another name
        "datePublished": f"{frozen:%Y-%m-%d}",
        "license": licence or version.licence,
        "creator": {"@type": "sc:Organization", "name": settings.SITE_NAME, "url": whole("/")},
        "publisher": {"@type": "sc:Organization", "name": settings.SITE_NAME},
        "citeAs": citation,
        "isLiveDataset": False,
        "keywords": ["benchmark", "long context", "state tracking", "language models"],
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": FILE,
                "name": FILE,
                "description": "The rows with their texts; lists and objects as JSON.",
                "contentUrl": whole(address(version)),
                "contentSize": f"{table.path.stat().st_size} B",
                "encodingFormat": "application/x-parquet",
                "sha256": table.sha256,
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": ROWS,
                "name": ROWS,
                "key": {"@id": f"{ROWS}/id"},
                "field": [*_fields(table)],
            }
        ],
    }


def address(version: Version) -> str:
    """The URL path of the version's Parquet file of rows."""
    return reverse("leaderboard:version_table", args=[version.benchmark.slug, version.slug])


def _description(version: Version) -> str:
    about = version.description or version.benchmark.summary
    return (
        f"{' '.join(about.split())} Frozen benchmark version: {number_of(version.row_count, 'row')}, grader "
        f"{version.grader}, SHA-256 {version.sha256}. {version.disclosure.sentence}"
    )


def _fields(table: TableFile) -> Iterator[dict[str, Any]]:
    schema = table.footer.schema
    for number in range(len(schema)):
        column = schema.column(number)
        yield {
            "@type": "cr:Field",
            "@id": f"{ROWS}/{column.name}",
            "name": column.name,
            "dataType": TYPES.get(column.physical_type, "sc:Text"),
            "source": {"fileObject": {"@id": FILE}, "extract": {"column": column.name}},
        }
