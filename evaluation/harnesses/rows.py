"""The rows for a harness: a file, a version of a site, or a preset."""

from __future__ import annotations

from pathlib import Path

from evaluation import door
from evaluation.core.errors import BenchmarkError
from evaluation.door.site import Site
from evaluation.remote import credentials


def rows_of(version: str, site: str = "") -> door.Version:
    """The questions of a file of rows, of a site's `benchmark/version`, or of a generated `suite:preset`.

    If `site` is empty, it is `GOLDEVIDENCEBENCH_URL`, or else the site of the last `goldevidencebench login`. Raises
    BenchmarkError if `version` has none of these forms, ClientError if the site is unreachable or lacks the version.
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
    """Like `rows_of`, for a harness that scores answers: also raises BenchmarkError if the rows have no gold."""
    found = rows_of(version, site)
    if not found.has_gold:
        raise BenchmarkError(
            f"the gold of {version} is withheld: run it with Inspect or the API, and submit the answers"
        )
    return found
