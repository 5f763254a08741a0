"""How large and how entangled the product is: `python -m tests.benchmarks.structure`.

Lines and files; members of the suite protocol, counted from its three classes; import cycles, lazy imports included;
modules that a grading passes (`rooms`).
"""

from __future__ import annotations

from pathlib import Path

from evaluation.core.suite import RowReplays, Suite, SuiteVersion
from tests.benchmarks import rooms
from tests.test_floors import ROOT, imports

FLOORS = ("evaluation", "leaderboard", "benchsite")


def members_of(cls: type) -> list[str]:
    """The public members that a class itself declares."""
    return sorted(name for name in {*vars(cls), *cls.__annotations__} if not name.startswith("_"))


def sources() -> list[Path]:
    """The Python files of the product."""
    return [path for floor in FLOORS for path in (ROOT / floor).rglob("*.py")]


def circles() -> list[set[str]]:
    """Import cycles: each set of modules that import each other."""
    below = imports()
    reached: dict[str, set[str]] = {}
    for module in below:
        seen, ahead = set[str](), [module]
        while ahead:
            fresh = below[ahead.pop()] - seen
            seen |= fresh
            ahead += fresh
        reached[module] = seen
    return [
        circle
        for module, seen in reached.items()
        if module in seen and module == min(circle := {one for one in seen if module in reached[one]})
    ]


def table() -> list[tuple[str, str]]:
    """The lines of the printed table: (measure, value)."""
    files = sources()
    nouns = {cls.__name__: len(members_of(cls)) for cls in (Suite, SuiteVersion, RowReplays)}
    return [
        ("product Python, lines", f"{sum(len(path.read_text().splitlines()) for path in files):,}"),
        ("product Python, files", f"{len(files):,}"),
        ("members of the suite protocol", f"{sum(nouns.values())} {nouns}"),
        ("circles, lazy imports counted", f"{len(circles())}"),
        (
            "rooms that `grade --data --pred` passes",
            f"{len(rooms.report())}",
        ),
    ]


if __name__ == "__main__":
    lines = table()
    print("\n".join(f"{name:42}{value}" for name, value in lines))
