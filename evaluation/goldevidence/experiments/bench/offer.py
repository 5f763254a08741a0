"""The bench that a site offers and runs: implements `evaluation.core.suite.benches`."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from evaluation.adapters.runner import RowResult
from evaluation.adapters.transcripts.record import Keep
from evaluation.core.errors import BenchmarkError, UnknownNameError
from evaluation.core.suite.benches import (
    BenchHooks,
    BenchOrder,
    BenchPace,
    BenchProgress,
    BenchResult,
    OfferedBar,
    OfferedPart,
    OfferedSize,
    PlannedPart,
)
from evaluation.goldevidence.experiments.bench.bars import BARS, with_thresholds
from evaluation.goldevidence.experiments.bench.parts import PARTS, SIZES, Size
from evaluation.goldevidence.experiments.bench.report import bench_report
from evaluation.goldevidence.experiments.bench.running import fits, grids, run_bench
from evaluation.goldevidence.experiments.sweep import Cell, Contestant, Grid, Hooks
from evaluation.goldevidence.experiments.sweep.cells import DATA
from evaluation.goldevidence.experiments.sweep.estimate import asked_of_each, paces

MOST_SEEDS = 100  # episodes per cell: ten times the number beyond which a metric gains nothing


class GoldEvidenceBenches:
    """Implements the benches of a site; see `evaluation.core.suite.benches.Benches` for each member."""

    default_size = "standard"

    @property
    def sizes(self) -> Sequence[OfferedSize]:
        return [OfferedSize(name, _in_words(size)) for name, size in SIZES.items()]

    def parts(self, adapter: str) -> Sequence[OfferedPart]:
        return [
            OfferedPart(each.name, each.title, each.help) for each in PARTS.values() if fits(each, adapter)
        ]

    @property
    def bars(self) -> Sequence[OfferedBar]:
        return [OfferedBar(each.name, each.part, each.help, each.threshold, each.at_least) for each in BARS]

    def plan(self, order: BenchOrder) -> list[PlannedPart]:
        """Return the parts with their numbers of rows, extrapolated from the rows of the first seed."""
        return [
            PlannedPart(name, PARTS[name].title, len(grid), asked_of_each(grid) * len(grid.contestants))
            for name, grid in _grids(order).items()
        ]

    def pace(self, order: BenchOrder, should_stop: Callable[[], bool]) -> BenchPace:
        """Estimate the duration. Each part is calibrated separately, because their texts differ in length."""
        from evaluation.adapters.llama.sharing import shared_engines

        chosen = _grids(order)
        with shared_engines():
            found = [pace for grid in chosen.values() for pace in paces(grid, should_stop)]
        rows = sum(asked_of_each(grid) * len(grid.contestants) for grid in chosen.values())
        return BenchPace(
            sum(pace.seconds for pace in found),
            rows,
            sum(pace.calibration_rows for pace in found),
            sum(pace.calibration_s for pace in found),
        )

    def run(
        self,
        order: BenchOrder,
        folder: Path,
        hooks: BenchHooks,
        *,
        go_on: bool = False,
        transcripts: str = Keep.FULL.value,
    ) -> BenchResult:
        chosen = _grids(order)
        folder.mkdir(parents=True, exist_ok=True)
        bench = run_bench(
            _contestant(order),
            _size(order),
            folder,
            _Told({name: len(grid) for name, grid in chosen.items()}, hooks).hooks,
            parts=list(chosen),
            bars=with_thresholds({name: str(share) for name, share in order.bars.items()}),
            go_on=go_on,
            keep=Keep(transcripts),
            command=self.command(order),
        )
        report = bench_report(bench, folder)
        report.write(folder)
        left = bench.unfinished
        return BenchResult(
            report,
            [each.as_json() for each in bench.judged],
            finished=left is None,
            paused=left is not None and left.paused,
            pause_reason=left.pause_reason if left else "",
        )

    def command(self, order: BenchOrder) -> str:
        words = ["--adapter", order.adapter] if order.adapter else ["--system", order.name]
        settings = _contestant(order).as_json()["settings"]
        words += [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        words += ["--preset", order.size]
        words += ["--seeds", str(order.seeds)] if order.seeds else []
        words += ["--parts", ",".join(order.parts)] if order.parts else []
        words += [word for name, share in order.bars.items() for word in ("--bar", f"{name}={share:g}")]
        return shlex.join(["goldevidencebench", "bench", *words])

    def files(self, folder: Path) -> Sequence[Path]:
        """Return all files except rows, which can be regenerated, and journals, needed only by interrupted runs."""
        return sorted(
            path
            for path in folder.rglob("*")
            if path.is_file() and path.name != DATA and path.suffix not in (".journal", ".part", ".lock")
        )


BENCHES = GoldEvidenceBenches()


class _Told:
    """Converts hook calls of a sweep to BenchProgress. Parts run in order, so the cell count identifies the part."""

    def __init__(self, totals: Mapping[str, int], hooks: BenchHooks) -> None:
        self._totals, self._tell = totals, hooks.on_progress
        self._cells = self._counted(0)
        self._answered = 0
        self.hooks = Hooks(self._on_cell, self._on_row, hooks.should_stop)

    def _counted(self, done: int) -> dict[str, tuple[int, int]]:
        counted = {}
        for name, total in self._totals.items():
            counted[name] = (min(done, total), total)
            done -= counted[name][0]
        return counted

    def _on_cell(self, done: int, total: int) -> None:
        self._cells = self._counted(done)
        self._tell(BenchProgress(self._cells, answered=self._answered))

    def _on_row(self, cell: Cell, result: RowResult) -> None:
        self._answered += 1
        self._tell(BenchProgress(self._cells, cell.folder, result.done, result.total, self._answered))


def _contestant(order: BenchOrder) -> Contestant:
    """Return the system to run, with the order's settings and none from the environment. Raises UnknownNameError."""
    if not order.adapter:
        return Contestant.system(order.name)
    return Contestant(order.name, order.adapter, dict(order.settings), dict(order.aliases), environment={})


def _size(order: BenchOrder) -> Size:
    if order.size not in SIZES:
        raise UnknownNameError("size", order.size, SIZES)
    if not 0 <= order.seeds <= MOST_SEEDS:
        raise BenchmarkError(f"{order.seeds} seeds: give 1 to {MOST_SEEDS}, or none for the size's default")
    size = SIZES[order.size]
    return size._replace(seeds=order.seeds or size.seeds)


def _grids(order: BenchOrder) -> dict[str, Grid]:
    if strangers := [name for name in order.parts if name not in PARTS]:
        raise UnknownNameError("part", strangers[0], PARTS)
    for name in order.parts:
        if not fits(PARTS[name], order.adapter):
            raise BenchmarkError(f"{PARTS[name].title}: this part runs only with a local model")
    with_thresholds({name: str(share) for name, share in order.bars.items()})
    ordered = [
        name for name in PARTS if name in order.parts
    ]  # in the order of a report, whatever the order given
    return grids(_contestant(order), _size(order), ordered)


def _in_words(size: Size) -> str:
    return f"{size.seeds} seeds of {size.queries} questions, logs of {size.steps} and {size.long} lines"
