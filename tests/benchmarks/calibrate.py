"""Test the claims of the statistics engine on simulated versions with known true rates. Takes minutes.

make calibrate                                 writes the tables and the picture of docs/statistics.md
python -m tests.benchmarks.calibrate intervals   these tables only
python -m tests.benchmarks.calibrate --quick   a tenth of the versions, printed only
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.attacks.climbing import FIGURES, climb, climb_by_rows, learning_bound, most_learnt
from evaluation.core.sealing.rounding import count_levels
from evaluation.core.statistics import (
    Parts,
    board,
    judge,
    linearized,
    mean_limits,
    paired_contrast,
    rate_intervals,
    rate_limits,
    repeated_rate,
    smooth_limits,
    spread_limits,
    version_power,
    worst_limits,
)
from evaluation.core.suite import get_suite
from evaluation.statebench.grading.measured import ICC_OF_COPIES
from tests.benchmarks.coverage_picture import coverage_picture
from tests.benchmarks.regenerated import LEAST_UNITS, STUDIES, judged, without_candidates
from tests.evaluation.core.statistics.collapsed import (
    DESIGNS,
    Templates,
    template_cells,
    template_coverage,
    template_differences,
)
from tests.evaluation.core.statistics.coverage import (
    LEAST_CASES,
    ROWS,
    UNITS,
    Cell,
    Coverage,
    cells,
    coverage,
)
from tests.evaluation.core.statistics.ladders import CURVES, Curve, Ladders, ladders, shown_in_full
from tests.evaluation.core.statistics.versions import boards, clustered, repeated, stratum_codes, true_rates

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "statistics.md"
PICTURE = ROOT / "docs" / "img" / "coverage.svg"
VERSIONS = 500  # of a cell, a board; several times as many where that costs little
UPLOADS = 10  # of an account to a sealed version, as the site allows by default
MOST_ROWS = 40_000  # of all versions of a preset that are generated again
ORDERS = ((1.0, 1.0, 1.0), (1.0, 1.0, 0.6), (1.0, 0.5, 0.0), (3.5, 3.5, 3.5))  # logits
Line = tuple[Any, ...]


def share(hits: float, versions: int) -> str:
    """A share of versions with its Monte-Carlo error, one standard error."""
    return f"{hits:.3f} ± {math.sqrt(max(hits * (1 - hits), 1 / versions) / versions):.3f}"


def intervals(versions: int) -> Iterator[Line]:
    """Coverage of 95% intervals over all cells of a size, of the worst cell, and of bounds at 0 and 1.

    The least of a hundred noisy shares is biased low, so the worst cell is simulated again.
    """
    shares: dict[int, list[float]] = {units: [] for units in UNITS}
    means: dict[int, float] = {}
    for units in UNITS:
        of_units = []
        for rows in ROWS:
            drawn = {
                cell: coverage(cell, 2 * versions, seed) for seed, cell in enumerate(cells([units], [rows]))
            }
            shares[units] += _of_designs(drawn)
            of_units += list(drawn.values())
            yield units, rows, *_interval_line(drawn, versions)
        means[units] = _held(of_units)
    yield "all", "all", f"{np.mean(list(means.values())):.3f}", "", "", "", ""
    if versions >= VERSIONS:
        PICTURE.write_text(coverage_picture(shares, means))


def _held(drawn: Collection[Coverage]) -> float:
    return sum(each.held for each in drawn) / sum(each.inside for each in drawn)


def _of_designs(drawn: Mapping[Cell, Coverage]) -> list[float]:
    """The coverage at each rate and correlation, equal and unequal units and strata together."""
    together: dict[tuple[float, float], list[Coverage]] = {}
    for cell, each in drawn.items():
        if each.inside >= LEAST_CASES:
            together.setdefault((cell.rate, cell.icc), []).append(each)
    return [_held(each) for each in together.values()]


def _interval_line(drawn: Mapping[Cell, Coverage], versions: int) -> Line:
    known = {cell: each.share for cell, each in drawn.items() if each.inside >= LEAST_CASES}
    least = min(known, key=known.__getitem__)
    again = coverage(least, 20 * versions, seed=10_000)
    cases = sum(each.bounds for each in drawn.values())
    bounds = sum(each.bounds_held for each in drawn.values()) / max(cases, 1)
    return (
        share(_held(drawn.values()), sum(each.inside for each in drawn.values())),
        share(again.share, again.inside),
        str(least).replace(", ", "; "),
        f"{np.mean([each.half_width for each in drawn.values()]):.3f}",
        share(bounds, cases) if cases >= LEAST_CASES else f"{cases} cases",
    )


def collapsed(versions: int) -> Iterator[Line]:
    """Strata of a single unit: coverage of 95% intervals and of the difference of two equal systems."""
    for design in DESIGNS:
        for rows in (8, 40):
            drawn = {
                cell: template_coverage(cell, 2 * versions, seed)
                for seed, cell in enumerate(template_cells(design, rows))
            }
            held, where, again, about, bounds = _template_line(drawn, versions)
            equal = template_differences(Templates(design, rows, 0.6, ICC_OF_COPIES, 0.6), versions, rows)
            yield design.replace(", ", "; "), rows, held, again, where, about, bounds, share(equal, versions)


def _template_line(drawn: Mapping[Templates, Coverage], versions: int) -> tuple[str, str, str, str, str]:
    known = {cell: each.share for cell, each in drawn.items() if each.inside >= LEAST_CASES}
    least = min(known, key=known.__getitem__)
    again = template_coverage(least, 20 * versions, seed=10_000)
    cases = sum(each.bounds for each in drawn.values())
    bounds = sum(each.bounds_held for each in drawn.values()) / max(cases, 1)
    return (
        share(_held(drawn.values()), sum(each.inside for each in drawn.values())),
        str(least),
        share(again.share, again.inside),
        f"{np.mean([each.half_width for each in drawn.values()]):.3f}",
        share(bounds, cases) if cases >= LEAST_CASES else f"{cases} cases",
    )


def real_versions(versions: int) -> Iterator[Line]:
    """Versions of every preset with other seeds; a system's long-run value is its mean over all of them."""
    for study in STUDIES:
        suite = get_suite(study.suite)
        for preset, chosen in suite.presets().items():
            settings = without_candidates(dict(chosen.settings))
            if settings.get("source") == "import" or suite.version(settings).count() < LEAST_UNITS:
                continue
            rows = sum(len(item.rows) for item in suite.version(settings).generate())
            count = min(max(MOST_ROWS * versions // VERSIONS // rows, 4), versions * 3 // 10)
            for (system, figure), result in judged(study, preset, count).items():
                if result.inside >= count / 2:
                    held = share(result.held / result.inside, result.inside)
                    yield (
                        suite.title,
                        preset,
                        system,
                        f"`{figure}`",
                        f"{result.truth:.3f}",
                        held,
                        result.inside,
                    )


def equal_boards(versions: int) -> Iterator[Line]:
    """Boards of equal systems: how often any two are told apart, and how often a given system leaves the best set."""
    for systems, units, of in (
        (2, 40, 0.25),
        (16, 20, 0.25),
        (16, 40, 0.25),
        (16, 100, 0.25),
        (100, 40, 1),
        (1000, 40, 25),
    ):
        count = max(20, int(versions / of)) if systems < 1000 else max(2, int(versions / of))
        apart, lost = [], []
        for seed in range(count):
            (version,) = boards(versions=1, systems=np.full(systems, 1.0), units=units, rows=24, seed=seed)
            result = board(list(version))
            apart.append(result.apart.any())
            lost.append(1 - result.best.mean())
        yield (
            systems,
            units,
            share(float(np.mean(apart)), count),
            share(1 - float(np.mean(lost)), count),
            count,
        )


def spread_boards(versions: int) -> Iterator[Line]:
    """Boards of different systems: whether all rank ranges hold at once, and whether the best stays in the best set."""
    for systems, units, of in ((2, 40, 0.25), (16, 40, 0.25), (16, 100, 0.25), (100, 40, 1)):
        count, rank = max(20, int(versions / of)), systems - np.arange(systems)
        hold, best, width = [], [], []
        for seed in range(count):
            truth = np.linspace(0.0, 2.0, systems)
            (version,) = boards(versions=1, systems=truth, units=units, rows=24, seed=10_000 + seed)
            result = board(list(version))
            hold.append(((result.low <= rank) & (rank <= result.high)).all())
            best.append(result.best[-1])
            width.append((result.high - result.low + 1).mean())
        shares = share(float(np.mean(hold)), count), share(float(np.mean(best)), count)
        yield systems, units, *shares, f"{np.mean(width):.1f}", count


#: Logits of the orders of one half of the systems and of the other; the worst order of all has the same true rate.
WORST_BOARDS = {
    "all orders alike": ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0)),
    "two better orders in half of the systems": ((1.0, 1.0, 1.0), (1.0, 1.8, 1.8)),
    "one better order in half of the systems": ((1.0, 1.0, 1.0), (1.0, 1.0, 1.8)),
}


def worst_boards(versions: int) -> Iterator[Line]:
    """Boards by worst order with equal true rates: how often any two systems are told apart."""
    for units in (40, 100):
        for name, (some, others) in WORST_BOARDS.items():
            logits = np.array([some] * 8 + [others] * 8)
            apart, lost = [], []
            for seed in range(versions):
                (drawn,) = boards(
                    versions=1, systems=logits.ravel(), units=units, rows=24, seed=20_000 + seed
                )
                result = board(list(drawn.reshape(*logits.shape, units, 2).swapaxes(1, 2)))
                apart.append(result.apart.any())
                lost.append(1 - result.best.mean())
            shares = share(float(np.mean(apart)), versions), share(1 - float(np.mean(lost)), versions)
            yield units, name, *shares, versions


def pairs(versions: int) -> Iterator[Line]:
    """Two equal systems by themselves: coverage of the 95% interval of their difference."""
    for units in UNITS:
        drawn = boards(versions=versions, systems=np.array([1.0, 1.0]), units=units, rows=24, seed=units)
        difference = [paired_contrast(first, second) for first, second in drawn]
        yield (
            units,
            share(float(np.mean([each.low <= 0 <= each.high for each in difference if each])), versions),
        )


def gates(versions: int) -> Iterator[Line]:
    """Rates near a threshold of .95: how often a gate passes, fails or stays undecided."""
    for rate in (0.90, 0.94, 0.96, 0.99):
        for units in (40, 100):
            sums = clustered(systems=versions, units=units, rows=24, rate=rate, icc=0.1, seed=units)
            verdicts = [judge((each.low, each.high), 0.95, at_least=True) for each in rate_intervals(sums)]
            wrong = "fail" if rate >= 0.95 else "pass"
            yield (
                rate,
                units,
                *(
                    f"{np.mean([each == state for each in verdicts]):.3f}"
                    for state in ("pass", "undecided", "fail")
                ),
                share(float(np.mean([each == wrong for each in verdicts])), versions),
            )


def composites(versions: int) -> Iterator[Line]:
    """Three orders of one system: coverage of the worst, of the spread and of a difference."""
    for units in (5, 20, 40, 100):
        for logits in ORDERS:
            true, hits, widths, shown = true_rates(np.array(logits)), np.zeros(3), 0.0, 0
            figures = true.min(), np.ptp(true), true[0] - true[2]
            for table in boards(
                versions=versions, systems=np.array(logits), units=units, rows=24, seed=units
            ):
                intervals = _of_orders(table)
                hits += [
                    low <= each + 1e-12 and each - 1e-12 <= high
                    for each, (low, high) in zip(figures, intervals, strict=True)
                ]
                widths, shown = widths + np.subtract(*intervals[0][::-1]), shown + (intervals[1][0] > 0)
            worst, spread, difference = (share(float(hit) / versions, versions) for hit in hits)
            rates = ", ".join(f"{rate:.2f}" for rate in true)
            about = f"{widths / versions / 2:.3f}"
            yield units, rates, worst, about, spread, f"{shown / versions:.3f}", difference


def _of_orders(table: np.ndarray) -> list[Any]:
    """The intervals of the worst rate, of the spread, and of the first minus the third."""
    strata = np.zeros(table.shape[1])
    parts = Parts(*linearized(table, strata), lambda level: rate_limits(table, strata, confidence=level))
    return [
        worst_limits(lambda rates: rates.min(axis=-1), parts, range(3)),
        spread_limits([range(3)], parts),
        smooth_limits(lambda rates: rates[..., 0] - rates[..., 2], parts),
    ]


def repeats(versions: int) -> Iterator[Line]:
    """Means of 2, 3 and 5 repeats, where runs differ as a whole and where they do not."""
    for count in (2, 3, 5):
        for noise in (0.0, 0.5, 1.0):
            for run_sd in (0.0, 0.01, 0.02, 0.05):
                held, alone, widths = [], [], []
                drawn = repeated(
                    versions=2 * versions, repeats=count, units=60, rows=8, rate=0.8, icc=0.1,
                    noise=noise, run_sd=run_sd, seed=count,
                )  # fmt: skip
                limits = rate_limits(drawn.mean(axis=1))
                for table, low, high in zip(drawn, *limits, strict=True):
                    mean = repeated_rate(table)
                    assert mean is not None
                    held.append(mean.low <= 0.8 <= mean.high)
                    alone.append(low <= 0.8 <= high)
                    widths.append((mean.high - mean.low) / 2)
                about = f"{np.mean(widths):.3f}"
                covered = (
                    share(float(np.mean(held)), len(held)),
                    about,
                    share(float(np.mean(alone)), len(alone)),
                )
                yield count, noise, run_sd, *covered


def means(versions: int) -> Iterator[Line]:
    """Means of lognormal numbers, for instance of words that a system reads."""
    for units in UNITS:
        random = np.random.default_rng(units)
        rows = random.poisson(4, (10 * versions, units)) + 1.0
        table = np.stack([random.lognormal(5, 0.5, rows.shape) * rows, rows], axis=-1)
        low, high = mean_limits(table)
        true = math.exp(5 + 0.5**2 / 2)
        yield units, share(float(np.mean((low <= true) & (true <= high))), len(table))


def effective_lengths(versions: int) -> Iterator[Line]:
    """Ladders of five lengths: coverage of ratios, areas and effective lengths, and how often these are overstated."""
    for units in UNITS:
        for rows in (4, 12):
            drawn = {curve: ladders(curve, units, rows, versions, seed) for seed, curve in enumerate(CURVES)}
            ratios, areas, covered, above = (
                _again(drawn, units, rows, versions, figure, pick)
                for figure, pick in (
                    ("ratios", min), ("areas", min), ("covered", min), ("overstated", max),
                )
            )  # fmt: skip
            exact, left_open = (
                float(np.mean([getattr(each, name) for each in drawn.values()])) for name in ("exact", "open")
            )
            yield units, rows, *ratios, *areas, *covered, *above, f"{exact:.3f}", f"{left_open:.2f}"


#: (true rate, ICC) of the systems that a ladder should show to hold.
HOLDING = ((0.97, 0.05), (0.97, 0.15), (0.97, 0.35), (0.9, 0.15))


def power_of_ladders(versions: int) -> Iterator[Line]:
    """How often a system accurate at all eight lengths is shown to be: by number of units, and of questions in each."""
    for units in (40, 60, 100):
        for rows in (3, 4, 8, 12, 16):
            size = {"rungs": 8, "units": units, "rows": rows, "versions": versions, "seed": units + rows}
            yield units, rows, *(share(shown_in_full(rate, icc, **size), versions) for rate, icc in HOLDING)


#: (templates, timelines of each, tracks) of the presets of scenes that rank, and how alike a template's are answered.
SCENES = ((450, 2, 15), (60, 5, 15), (45, 2, 15))
ALIKE = (0.1, 0.3, 0.5, 0.8)


def power_of_scenes(versions: int) -> Iterator[Line]:
    """How often two readers of .95 and .90 are told apart, their errors independent of each other."""
    for units, rows, strata in SCENES:
        size: dict[str, Any] = {"systems": versions, "units": units, "rows": rows, "strata": strata}
        codes = stratum_codes(units, strata)
        told = []
        for icc in ALIKE:
            better = clustered(**size, rate=0.95, icc=icc, seed=1)
            worse = clustered(**size, rate=0.9, icc=icc, seed=2)
            found = [paired_contrast(*pair, codes) for pair in zip(better, worse, strict=True)]
            told.append(
                share(float(np.mean([each is not None and each.low > 0 for each in found])), versions)
            )
        yield units, rows, *told


def _again(
    drawn: Mapping[Curve, Ladders],
    units: int,
    rows: int,
    versions: int,
    figure: str,
    pick: Callable[..., Curve],
) -> tuple[str, str]:
    """The curve with the lowest share, simulated again: the least of several noisy shares is biased low."""
    worst = pick(drawn, key=lambda curve: getattr(drawn[curve], figure))
    again = ladders(worst, units, rows, 4 * versions, seed=10_000)
    return share(getattr(again, figure), 4 * versions), worst.name


def presets(_: int) -> Iterator[Line]:
    """The precision of a version of each preset at a rate of .8."""
    for name in ("goldevidence", "statebench"):
        suite = get_suite(name)
        for preset, (settings, _about) in suite.presets().items():
            if settings.get("source") == "import":
                continue
            version, rows, items, splits = suite.version(settings), 0, 0, Counter[str]()
            for item in version.generate():
                rows, items = rows + len(item.rows), items + 1
                splits.update(suite.expected([item.gold]).splits.values())
            units = version.drawn(items, splits).units
            tells = version_power(units, rows, icc=version.unit_icc)
            smallest, about = f"{tells.smallest_difference:.3f}", f"± {tells.plus_minus:.3f}"
            yield (
                suite.title,
                preset,
                units,
                rows,
                about,
                smallest,
                "diagnostic" if tells.is_diagnostic else "ranks",
            )


def learning(versions: int) -> Iterator[Line]:
    """The score that a guesser reaches by learning from headline and place of each upload, and its upper bound."""
    for questions in (240, 1000):
        for options in (2, 13):
            for accounts, step in ((1, 0.02), (1, 0.05), (5, 0.05), (20, 0.05)):
                size = {"questions": questions, "uploads": UPLOADS * accounts}
                rivals, chance = count_levels(step) - 1, 1 / options
                hidden, placed = (
                    climb(**size, options=options, step=step, rivals=each, versions=2 * versions)[0]
                    for each in (0, rivals)
                )
                limit = learning_bound(**size, step=step, chance=chance, figures=FIGURES)
                yield (
                    questions,
                    options,
                    accounts,
                    size["uploads"],
                    step,
                    f"{chance:.3f}",
                    f"{hidden.reached:.3f} ± {hidden.error:.3f}",
                    f"{placed.reached:.3f} ± {placed.error:.3f}",
                    placed.attack,
                    f"{limit:.3f}",
                    f"+ {most_learnt(**size, step=step, figures=FIGURES):.3f}",
                    f"{climb_by_rows(**size, options=options):.3f}",
                )


TABLES: dict[str, tuple[Callable[[int], Iterator[Line]], str]] = {
    "intervals": (
        intervals,
        "units, rows of a unit, coverage on average, least coverage, where, ± on average, bounds at 0 and 1",
    ),
    "collapsed": (
        collapsed,
        "design, rows of a unit, coverage on average, least coverage, where, ± on average, bounds at 0 and 1, "
        "difference covered",
    ),
    "real versions": (real_versions, "suite, preset, system, figure, in the long run, coverage, versions"),
    "pairs": (pairs, "units, coverage of the difference"),
    "equal boards": (
        equal_boards,
        "systems, units, any two are shown apart, a system is kept among the best, boards",
    ),
    "worst boards": (
        worst_boards,
        "units, true rates, any two are shown apart, a system is kept among the best, boards",
    ),
    "spread boards": (
        spread_boards,
        "systems, units, all ranges hold, the best is kept, ranks in a range, boards",
    ),
    "composites": (
        composites,
        "units, true rates, worst covered, ± of the worst, spread covered, spread above 0, difference covered",
    ),
    "repeats": (
        repeats,
        "repeats, rows answered anew, run sd, coverage of the mean, ± on average, covered by rows alone",
    ),
    "means": (means, "units, coverage"),
    "effective length": (
        effective_lengths,
        "units, rows of a unit, least ratio covered, of, least area covered, of, least length covered, of, "
        "most overstated, of, stated exactly on average, lengths left open on average",
    ),
    "power of ladders": (
        power_of_ladders,
        "units, questions of a unit, " + ", ".join(f"{rate:.2f} at ICC {icc:g}" for rate, icc in HOLDING),
    ),
    "power of scenes": (
        power_of_scenes,
        "templates, timelines of each, " + ", ".join(f"at ICC {icc:g}" for icc in ALIKE),
    ),
    "gates": (gates, "true rate, units, pass, undecided, fail, wrong"),
    "learning": (
        learning,
        "questions, options, accounts, uploads, step, chance, by headlines, by headlines and places, best attack, "
        "no attack exceeds, from any chance, by rows",
    ),
    "presets": (presets, "suite, preset, units, rows, a rate, smallest difference, may rank"),
}


def table(headings: str, lines: Iterator[Line]) -> str:
    """A Markdown table."""
    names = headings.split(", ")
    rows = [names, ["---"] * len(names), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def written(page: str, name: str, text: str) -> str:
    """The page with a table inserted between its markers."""
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, _, rest = page.partition(start)
    return f"{before}{start}\n{text}\n{end}{rest.partition(end)[2]}"


def main(versions: int, names: Sequence[str], *, keep: bool) -> None:
    """Print each table; with `keep`, also write it into the page at once."""
    took = {}
    for name in names:
        study, headings = TABLES[name]
        started = time.perf_counter()
        text = table(headings, study(versions))
        took[name] = round(time.perf_counter() - started)
        print(f"\n{name}, {took[name]} s\n{text}", flush=True)
        if keep:
            PAGE.write_text(written(PAGE.read_text(), name, text))
    print(json.dumps(took))


if __name__ == "__main__":
    quick = "--quick" in sys.argv
    names = [each for each in sys.argv[1:] if not each.startswith("-")]
    main(VERSIONS // 10 if quick else VERSIONS, names or list(TABLES), keep=not quick)
