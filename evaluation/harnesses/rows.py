"""The rows for a harness: a file, a version of a site, or a preset."""

from __future__ import annotations

from pathlib import Path

from evaluation import door
from evaluation.core.errors import BenchmarkError
from evaluation.door.site import Site
from evaluation.remote import credentials


def rows_of(version: str, site: str = "") -> door.Version:
    """The questions of a file of rows, of a site's `benchmark/version`, or of `suite:preset`, which is generated here.

    `site` empty: `GOLDEVIDENCEBENCH_URL`, else the site of the last `goldevidencebench login`. Raises BenchmarkError if
    it is none of these, ClientError if the site is unreachable or has no such version.
    """
    if Path(version).is_file():
        return door.read_version(version)
    suite, made_here, preset = version.partition(":")
    if made_here:
        return door.version_from_rows(door.generate(suite, preset), version)
    if "/" not in version:
        raise BenchmarkError(
            f"{version} is neither a file nor a `benchmark/version` of a site nor a `suite:preset`"
        )
    with Site(credentials.server(site or None)) as opened:
        return opened.read_version(version)


def graded_rows_of(version: str, site: str = "") -> door.Version:
    """As `rows_of`, for a harness that scores by itself. Raises BenchmarkError, too, if the rows have no gold."""
    found = rows_of(version, site)
    if not found.has_gold:
        raise BenchmarkError(
            f"the gold of {version} is withheld: run it by Inspect or the API, and submit what it answers"
        )
    return found
