"""Records are typed: no function of the modules that judge and store them passes a bare dictionary.

Unchecked data is a `JsonObject`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NotRequired, Required, TypedDict

import pytest

from tests.records import faults, keys_of

ROOT = Path(__file__).resolve().parents[3]
#: Where rows are judged, and their verdicts kept and shown.
MODULES = (
    "evaluation/core/files/*.py",
    "evaluation/core/report.py",
    "evaluation/core/suite/parts.py",
    "evaluation/core/suite/plain.py",
    "evaluation/core/suite/suite.py",
    "evaluation/core/suite/version.py",
    "evaluation/frames/grouped_file.py",
    "evaluation/frames/verdict*.py",
    "evaluation/adapters/*.py",
    "evaluation/goldevidence/adapters/*.py",
    "evaluation/goldevidence/public.py",
    "evaluation/goldevidence/suite.py",
    "evaluation/goldevidence/version.py",
    "evaluation/goldevidence/conditions/*.py",
    "evaluation/goldevidence/data/*.py",
    "evaluation/goldevidence/generator/*.py",
    "evaluation/goldevidence/grading/*.py",
    "evaluation/goldevidence/systems/*.py",
    "evaluation/statebench/adapters/*.py",
    "evaluation/statebench/public.py",
    "evaluation/statebench/suite.py",
    "evaluation/statebench/version.py",
    "evaluation/statebench/context/*.py",
    "evaluation/statebench/data/*.py",
    "evaluation/statebench/generator/*.py",
    "evaluation/statebench/grading/*.py",
    "evaluation/statebench/strategies/*.py",
    "evaluation/statebench/systems/*.py",
    "leaderboard/benchmarks/public_rows.py",
    "leaderboard/boards/comparison/verdict_matrix.py",
    "leaderboard/submissions/flags.py",
    "leaderboard/submissions/services/*.py",
    "leaderboard/submissions/verdicts/*.py",
    "leaderboard/templatetags/readings.py",
)
#: What such a record is called where it is passed.
NAMES = re.compile(
    r"(row|verdict|prediction|response|answer|timeline|event|query|record|question)s?|case|gold|truth|meta|sample"
)
BARE = re.compile(r"\b(dict|Mapping|MutableMapping)\[str, (Any|object)\]")
#: Functions whose answer is a record.
MAKERS = re.compile(
    r"(public|read|write|find|at|as)?_?(row|verdict|prediction|timeline|record)s?(_of)?|redact|unplaced"
)


def bare(source: str) -> Iterator[str]:
    """`function.parameter` for each bare dictionary that a module passes, aliases of it included."""
    tree = ast.parse(source)
    assigned = [
        node for node in tree.body if isinstance(node, ast.Assign) and BARE.fullmatch(ast.unparse(node.value))
    ]
    aliases = {ast.unparse(node.targets[0]) for node in assigned}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            given = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            yield from (
                f"{node.name}.{each.arg}"
                for each in given
                if NAMES.fullmatch(each.arg) and _is_bare(each.annotation, aliases)
            )
            if MAKERS.fullmatch(node.name) and _is_bare(node.returns, aliases):
                yield f"{node.name} ->"


def _is_bare(annotation: ast.expr | None, aliases: set[str]) -> bool:
    text = "" if annotation is None else ast.unparse(annotation)
    return bool(BARE.search(text)) or not aliases.isdisjoint(re.findall(r"\w+", text))


@pytest.mark.parametrize("pattern", MODULES)
def test_no_function_passes_a_record_as_a_bare_dictionary(pattern) -> None:
    paths = sorted(ROOT.glob(pattern))
    assert paths, f"{pattern} names no module"
    passed = {f"{path.relative_to(ROOT)}:{name}" for path in paths for name in bare(path.read_text())}
    assert passed == set()


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def grade(rows: list[dict[str, Any]]) -> None: ...", ["grade.rows"]),
        ("Row = Mapping[str, Any]\ndef f(self, *, row: Row | None): ...", ["f.row"]),
        ("class A:\n    def redact(self, verdict: Verdict) -> dict[str, Any]: ...", ["redact ->"]),
        ("def grade(rows: list[Row], settings: Mapping[str, Any]) -> None: ...", []),
    ],
)
def test_a_bare_dictionary_is_seen_wherever_it_is_passed(source, names) -> None:
    assert list(bare(source)) == names


class Part(TypedDict, total=False):
    name: Required[str]
    size: int | None


class Whole(Part):
    parts: list[Part]
    notes: NotRequired[dict[str, float]]


def test_the_fields_of_a_record_are_those_of_its_bases_too() -> None:
    assert {name: required for name, (_, required) in keys_of(Whole).items()} == {
        "name": True,
        "size": False,
        "parts": True,
        "notes": False,
    }


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ({"name": "a", "parts": []}, 0),
        ({"name": "a", "size": None, "parts": [{"name": "b", "size": 3}], "notes": {"x": 1}}, 0),
        ({"parts": []}, 1),
        ({"name": "a", "parts": [{"name": 1}], "more": 2}, 2),
        ({"name": "a", "size": True, "parts": [], "notes": {"x": "y"}}, 2),
        ([], 1),
    ],
)
def test_data_of_another_form_is_seen(value, count) -> None:
    assert len(faults(value, Whole)) == count, faults(value, Whole)
