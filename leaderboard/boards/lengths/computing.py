"""Effective lengths and areas under curves: computed by a worker after a grading, read by pages, files and the API."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

import numpy as np

from evaluation.core import jsonl
from evaluation.core.statistics import LengthFigures, length_figures
from leaderboard.benchmarks.models import Version
from leaderboard.boards.guessing import FLOOR, Guessing, guessings_of
from leaderboard.boards.lengths.figures import AREA, EFFECTIVE, Lengths, parts_of, rounded, rungs_of
from leaderboard.boards.models import StoredLengths
from leaderboard.boards.placements import ahead, placements
from leaderboard.boards.placements.contestants import contestants_of, strata_over
from leaderboard.boards.placements.ranking import UNIT_BYTES, Contestant, unit_scores
from leaderboard.submissions.models import Submission
from leaderboard.web.results_cache import cache

FIELDS = LengthFigures._fields
#: Name of the method. Change it whenever a figure may differ: stored figures of another name are recomputed.
METHOD = "paired ratio by recovered variance, guessing by rung, 4"


def read(version: Version, of: str) -> dict[Any, LengthFigures] | None:
    """The stored figures by length of each submission; None if none are stored with the fingerprint `of`."""
    kept = StoredLengths.objects.filter(version=version, method=METHOD, fingerprint=of)
    packed = kept.values_list("figures", flat=True).first()
    return None if packed is None else _unpacked(bytes(packed))


def is_fresh(version: Version, of: str) -> bool:
    return StoredLengths.objects.filter(version=version, method=METHOD, fingerprint=of).exists()


def write(version: Version, of: str, figures: Mapping[Any, LengthFigures]) -> None:
    systems = {str(key): list(each) for key, each in figures.items()}
    packed = zlib.compress(jsonl.dumps({"fields": FIELDS, "systems": systems}))
    fields = {"method": METHOD, "fingerprint": of, "figures": packed}
    StoredLengths.objects.update_or_create(version=version, defaults=fields)


def _unpacked(data: bytes) -> dict[Any, LengthFigures]:
    content = jsonl.parse(zlib.decompress(data))
    named = {key: dict(zip(content["fields"], each, strict=True)) for key, each in content["systems"].items()}
    return {UUID(key): _figures(fields) for key, fields in named.items()}


def _figures(fields: dict[str, Any]) -> LengthFigures:
    for name in ("rates", "ratios"):
        fields[name] = tuple(fields[name])
    for name in ("intervals", "ratio_intervals"):
        fields[name] = tuple(tuple(ends) if ends else None for ends in fields[name])
    fields["area_interval"] = tuple(fields["area_interval"]) if fields["area_interval"] else None
    return LengthFigures(**fields)


KEEP_SECONDS = 24 * 3600


def store(version: Version) -> int:
    """Compute and store a version's figures by length, if out of date. Returns the number of systems computed."""
    if not rungs_of(version):
        return 0
    of = _fingerprint(version)
    if is_fresh(version, of):
        return 0
    computed = compute(version)
    write(version, of, computed)
    return len(computed)


def is_late(version: Version) -> bool:
    """True if a version has several text lengths, but its figures by length are not up to date."""
    return bool(rungs_of(version)) and not is_fresh(version, _fingerprint(version))


def board_lengths(version: Version) -> dict[Any, Lengths]:
    """Figures by length of each submission on a board, as pages show them. Empty while a worker computes them."""
    rungs = rungs_of(version)
    if not rungs:
        return {}
    of, step = _fingerprint(version), version.shown_step
    key = f"lengths-{METHOD}:{version.pk}:{of}:{step}".replace(" ", "-")
    found: dict[Any, Lengths] | None = cache.get(key)
    if found is None:
        figures = read(version, of)
        if figures is None:
            ahead.ask(version.pk)
            return {}
        tokens = tuple(rung.tokens for rung in rungs)
        found = {name: Lengths(tokens, rounded(version, each)) for name, each in figures.items()}
        cache.set(key, found, KEEP_SECONDS)
    return found


def sort_values(lengths: Mapping[Any, Lengths]) -> dict[str, dict[Any, Any]]:
    """For each column of the length view, map every submission to the value by which the column sorts it."""
    return {
        EFFECTIVE.name: {key: _order(each) for key, each in lengths.items()},
        AREA.name: {key: each.figures.area for key, each in lengths.items()},
    }


def _order(lengths: Lengths) -> tuple[float, ...] | None:
    if lengths.effective is None:
        return None
    area = lengths.figures.area
    return lengths.effective, lengths.figures.possible, -1.0 if area is None else area


def compute(version: Version) -> dict[Any, LengthFigures]:
    """Compute figures by length of a board's submissions. Leaves out systems without answers or figures by part."""
    rungs = rungs_of(version)
    shown = Submission.objects.on_board(version)
    boards = contestants_of(version, shown, parts_of(version, rungs))
    systems = [of_system for of_system in zip(*boards, strict=True) if _decides(of_system)]
    units = max((len(each.units) for of_system in systems for each in of_system), default=0) // UNIT_BYTES
    tables = {of_system[0].key: _table(of_system, units) for of_system in systems}
    # A floor is compared with all floors including itself, so it is never above guessing.
    floors = [tables[each[0].key] for each in systems if each[0].reference == FLOOR]
    strata = strata_over(version, units)
    guessing = [each.value if each else 0.0 for each in guesses_of(version)]
    return {
        of_system[0].key: length_figures(
            [rung.tokens for rung in rungs],
            tables[of_system[0].key],
            strata,
            floors=floors,
            guessing=guessing,
            runs=_runs(of_system),
            icc=version.bound.unit_icc,
        )
        for of_system in systems
    }


def guesses_of(version: Version) -> list[Guessing | None]:
    """The guessing line at each length of a version; empty if it has no lengths."""
    rungs = rungs_of(version)
    return guessings_of(version, parts_of(version, rungs)) if rungs else []


def _decides(of_system: Sequence[Contestant]) -> bool:
    first = of_system[0]
    return any(each.units for each in of_system) and (bool(first.reference) or not first.unranked)


def _table(of_system: Iterable[Contestant], units: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """[lengths, units, 2]: sum and number of rows by unit. Zeros for lengths whose number of units is not `units`."""
    nothing = np.zeros((units, 2))
    tables = [unit_scores(each.units).astype(np.float64) for each in of_system]
    return np.stack([table if len(table) == units else nothing for table in tables])


def _runs(of_system: Sequence[Contestant]) -> list[tuple[float, ...]]:
    """[repeats][lengths]: the rates of each repeat; empty unless the system has the same repeats at all lengths."""
    counts = {len(each.runs) for each in of_system}
    return list(zip(*(each.runs for each in of_system), strict=True)) if len(counts) == 1 else []


def _fingerprint(version: Version) -> str:
    state = placements.board_state(version, Submission.objects.on_board(version)).fingerprint
    rungs = [(rung.split, rung.tokens) for rung in rungs_of(version)]
    return hashlib.sha256(f"{state} {rungs} {version.guessing}".encode()).hexdigest()
