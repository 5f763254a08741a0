"""The three floors import only downward."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Collection
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FORBIDDEN = {
    "evaluation": {"django", "leaderboard", "benchsite", "celery", "ninja"},
    "leaderboard": {"benchsite"},
}


def imported(path: Path) -> set[str]:
    """Top-level packages a file imports, wherever in the file."""
    collected = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            collected |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            collected.add(node.module.split(".")[0])
    return collected


@pytest.mark.parametrize("floor", FORBIDDEN)
def test_no_floor_imports_the_one_above_it(floor):
    files = list((ROOT / floor).rglob("*.py"))
    assert files
    arrows = {str(path.relative_to(ROOT)): imported(path) & FORBIDDEN[floor] for path in files}
    assert {path: up for path, up in arrows.items() if up} == {}


def called_upon(path: Path, modules: Collection[str]) -> set[str]:
    """The modules that a file imports when it runs, inside of functions too; not those for types alone."""
    tree = ast.parse(path.read_text())
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for statement in node.body
        for inner in ast.walk(statement)
    }
    names = set()
    for node in ast.walk(tree):
        if node not in for_types and isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif node not in for_types and isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name if name in modules else name.rpartition(".")[0] for name in names} & set(modules)


def imports() -> dict[str, set[str]]:
    """Module -> the modules that it imports when it runs, lazy imports counted."""
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for floor in (*FORBIDDEN, "benchsite")
        for path in (ROOT / floor).rglob("*.py")
    }
    return {module: called_upon(path, paths) - {module} for module, path in paths.items()}


def test_modules_import_each_other_in_no_circle_lazy_imports_counted():
    try:
        TopologicalSorter(imports()).prepare()
    except CycleError as error:
        pytest.fail(f"a circle, each imported by the next: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize(
    "door", ["evaluation.goldevidence", "evaluation.statebench", "evaluation.core.suite", "evaluation.cli"]
)
def test_the_engine_imports_without_django(door):
    code = (
        f"import sys, {door}; from evaluation.core.suite import SUITES, get_suite; "
        "[get_suite(name) for name in SUITES]; "
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'django', 'leaderboard', 'benchsite', 'llama_cpp'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_both_suites_have_the_same_folders_and_modules():
    shared = {
        "adapters",
        "cli",
        "columns",
        "data",
        "generator",
        "grading",
        "presets",
        "public",
        "suite",
        "systems",
        "version",
    }
    for suite in ("goldevidence", "statebench"):
        result = {path.stem for path in (ROOT / "evaluation" / suite).iterdir()}
        assert shared <= result, suite


#: The site's own name, which is the command line's and the distribution's too, and examples of the API's documentation.
SITE_NAME = re.compile(r"goldevidencebench", re.IGNORECASE)
#: What may name a suite: history, the feature that is StateBench's specification, the page of what is published of
#: GoldEvidenceBench, and examples for readers of the API.
MAY_NAME = (
    "leaderboard/migrations/",
    "leaderboard/conformance/",
    "leaderboard/benchmarks/views/anchors.py",
    "templates/suites/",
    "schemas.py",
    "run_conformance.py",
)
#: The pages of that feature, and help texts with an example of a version.
EXAMPLES = (
    "templates/components/conformance_steps.html",
    "templates/leaderboard/conformance.html",
    "import_rows.py",
)


def test_the_site_names_no_suite_and_no_metric():
    from evaluation.core.suite import SUITES, get_suite

    figures = {column.name for name in SUITES.built_in for column in get_suite(name).version({}).columns}
    figures = {name for name in figures if "_" in name} | {"sfrr"}  # `n` and `coverage` are words like others
    names = re.compile(rf"(?<![\w-])({'|'.join([*SUITES.built_in, *figures])})(?![\w-])", re.IGNORECASE)
    files = [
        path for folder in ("leaderboard", "templates", "static/js") for path in (ROOT / folder).rglob("*.*")
    ]
    collected = {}
    for path in files:
        place = str(path.relative_to(ROOT))
        if path.suffix in (".py", ".html", ".js", ".txt") and not any(
            part in place for part in (*MAY_NAME, *EXAMPLES)
        ):
            text = SITE_NAME.sub("", path.read_text())
            if words := sorted(set(names.findall(text))):
                collected[place] = words
    assert collected == {}


def test_no_function_is_called_of():
    """Calls name their result: `Column.from_metric`, not `Column.of`."""
    paths = [
        path
        for folder in ("evaluation", "leaderboard", "benchsite", "tests")
        for path in (ROOT / folder).rglob("*.py")
    ]
    named = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in paths
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.strip("_") == "of"
    ]
    assert named == []
