#!/usr/bin/env python3
"""Draws the imports between packages into docs/architecture.md: `python .ci/draw_imports.py [--check]`, or `make
picture`.

A *box* is a module or folder directly below `evaluation` or `leaderboard`. An *arrow* leads from one box to
another if any module of it imports any module of the other. Boxes stand above all boxes that they import.
Boxes that import each other in a circle have no such order: they are arranged with the fewest arrows *back
up*.

Uses the standard library only, and executes nothing of the project.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = Path("docs/architecture.md")
BEGIN, END = "<!-- imports, drawn by `make picture` -->", "<!-- end of imports -->"
#: Package -> number of parts of a module's name that identify its box.
DEPTHS = {"benchsite": 1, "leaderboard": 2, "evaluation": 2}
#: Circles of up to this many boxes are ordered by exhaustive search.
SORTABLE = 16

Arrow = tuple[str, str]


def modules(root: Path, packages: Mapping[str, int]) -> dict[str, Path]:
    """Dotted name -> file of every module of the packages; an `__init__` has the name of its folder."""
    paths = [path for package in packages for path in sorted((root / package).rglob("*.py"))]
    names = [".".join(path.relative_to(root).with_suffix("").parts) for path in paths]
    return {name.removesuffix(".__init__"): path for name, path in zip(names, paths, strict=True)}


def arrows(found: Mapping[str, Path], depths: Mapping[str, int]) -> set[Arrow]:
    """Arrows between boxes. The `__init__` of a package, which re-exports names, is not a box."""
    faces = {package for package, depth in depths.items() if depth > 1}
    drawn: set[Arrow] = set()
    for module, path in found.items():
        targets = {_known(name, found) for name in _imported(path)} - {""}
        drawn |= {(_box(module, depths), _box(target, depths)) for target in targets}
    return {(one, other) for one, other in drawn if one != other and not {one, other} & faces}


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _known(name: str, found: Mapping[str, Path]) -> str:
    """The project's module that contains the name; empty for other packages."""
    while name and name not in found:
        name = name.rpartition(".")[0]
    return name


def _box(module: str, depths: Mapping[str, int]) -> str:
    parts = module.split(".")
    return ".".join(parts[: depths[parts[0]]])


def order(drawn: set[Arrow]) -> list[str]:
    """The boxes from the top floor down, circles kept together."""
    below: dict[str, set[str]] = {box: set() for arrow in drawn for box in arrow}
    for one, other in drawn:
        below[one].add(other)
    reach = {box: _reached(box, below) for box in below}
    circle = {box: frozenset({box} | {one for one in reach[box] if box in reach[one]}) for box in below}

    @cache
    def floor(whole: frozenset[str]) -> int:
        """Length of the longest path down, counting each circle once."""
        return 1 + max((floor(circle[one]) for box in whole for one in below[box] - whole), default=0)

    rows = sorted(set(circle.values()), key=lambda whole: (-floor(whole), min(whole)))
    return [box for whole in rows for box in _sorted_out(whole, drawn)]


def _reached(box: str, below: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    todo = [box]
    while todo:
        new = below[todo.pop()] - found
        found |= new
        todo += new
    return found


def _sorted_out(whole: frozenset[str], drawn: set[Arrow]) -> list[str]:
    """The order of a circle's boxes with the fewest arrows back up."""
    if len(whole) > SORTABLE:
        return sorted(whole)

    @cache
    def best(boxes: frozenset[str]) -> tuple[int, tuple[str, ...]]:
        """The fewest arrows back up among some of the boxes, and the order that has them."""
        if not boxes:
            return 0, ()
        found = []
        for last in boxes:
            faults, before = best(boxes - {last})
            found.append((faults + sum((last, one) in drawn for one in before), (*before, last)))
        return min(found)

    return list(best(whole)[1])


def back_up(boxes: list[str], drawn: set[Arrow]) -> set[Arrow]:
    """Arrows that run back up in this order."""
    place = {box: number for number, box in enumerate(boxes)}
    return {(one, other) for one, other in drawn if place[one] > place[other]}


def draw(drawn: set[Arrow]) -> str:
    """The picture: a line per box, a column per box that it may import."""
    boxes, faults = order(drawn), back_up(order(drawn), drawn)
    width = max(map(len, boxes))
    heads = ["".join(f"{number:>3}"[digit] for number in range(1, len(boxes) + 1)) for digit in range(3)]
    lines = [f"{'':{width + 6}}{head}" for head in heads if head.strip()]
    for number, box in enumerate(boxes, 1):
        marks = "".join(_mark((box, other), drawn, faults) for other in boxes)
        lines.append(f"{number:>3}  {box:{width}} {marks}")
    return "\n".join(f"    {line}".rstrip() for line in [*lines, "", summary(boxes, drawn)])


def _mark(arrow: Arrow, drawn: set[Arrow], faults: set[Arrow]) -> str:
    if arrow[0] == arrow[1]:
        return "\\"
    return "▲" if arrow in faults else "●" if arrow in drawn else "·"


def summary(boxes: list[str], drawn: set[Arrow]) -> str:
    faults = back_up(boxes, drawn)
    return f"{len(boxes)} boxes, {len(drawn)} arrows, upward arrows: {len(faults) or 'none'}"


def put_in(text: str, picture: str) -> str:
    """The document with the picture between its marks. Raises SystemExit if the marks are missing."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{DOCUMENT} has no place for the picture: a line {BEGIN} and below it {END}")
    return f"{before}{BEGIN}\n\n{picture}\n\n{END}{after}"


def main() -> int:
    """Update the picture, or check that it is up to date."""
    parser = argparse.ArgumentParser(
        description="Draw the imports between packages into docs/architecture.md."
    )
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if it is out of date")
    parser.add_argument("--root", type=Path, default=ROOT, help="the project (default: this one)")
    args = parser.parse_args()
    depths = {package: depth for package, depth in DEPTHS.items() if (args.root / package).is_dir()}
    drawn = arrows(modules(args.root, depths), depths)
    document = args.root / DOCUMENT
    text = document.read_text(encoding="utf-8")
    fresh = put_in(text, draw(drawn))
    print(summary(order(drawn), drawn))
    if args.check and fresh != text:
        print(f"The picture in {DOCUMENT} is out of date. Run: make picture", file=sys.stderr)
        return 1
    if not args.check:
        document.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
