"""Public functions that take or make arrays say their shapes; the names in `Args:` are those of the signature."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.docstrings import ROOT, Function, documented, functions, misdocumented, modules, tree

ENGINE = "evaluation"

#: What the rule does not hold for yet: these were being rewritten when it was written. Take a line out with its files.
NOT_YET: tuple[str, ...] = ()
#: Functions that are called alike through a registry: where their parameters are documented, once, by where they are.
ALIKE = {
    (
        "evaluation/goldevidence/generator/distractors.py",
        "trap",
    ): "evaluation/goldevidence/generator/distractors.py",
    ("evaluation/goldevidence/retrieval/", "scorer"): "evaluation/goldevidence/retrieval/__init__.py",
    ("evaluation/goldevidence/selectors/", "selector"): "evaluation/goldevidence/selectors/__init__.py",
    (
        "evaluation/statebench/conformance/checks/",
        "checker",
    ): "evaluation/statebench/conformance/checks/reading.py",
    (
        "evaluation/statebench/strategies/",
        "strategy",
    ): "evaluation/statebench/strategies/registry.py:Strategy",
}
_ARRAY = re.compile(r"\b(?:np\.ndarray|NDArray)\b")


def _needs_args(one: Function) -> bool:
    """Whether it takes an array, or makes one of something: shapes and units are not in the signature."""
    return bool(one.parameters) and _has_arrays(one)


def _has_arrays(one: Function) -> bool:
    names, given = _arrays_in(one.path), one.node.args
    annotations = [each.annotation for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    words = " ".join(ast.unparse(each) for each in (*annotations, one.node.returns) if each is not None)
    return bool(_ARRAY.search(words)) or not names.isdisjoint(re.findall(r"\w+", words))


def _is_documented_elsewhere(one: Function) -> bool:
    """Whether it is one of several functions called alike, or a method of a protocol or of a base class."""
    if one.owner is not None:
        promised = (one.node.name, one.parameters) in _promises(with_bases=bool(one.owner.bases))
        return promised and not _is_protocol(one.owner)
    return any(
        one.path.startswith(where) and one.parameters == _args_of(home) for (where, _), home in ALIKE.items()
    )


@cache
def _args_of(home: str) -> tuple[str, ...] | None:
    """The parameters documented by a module (`path`) or a class in it (`path:Class`)."""
    path, _, expected = home.partition(":")
    nodes: list[ast.Module | ast.ClassDef] = [
        node for node in tree(path).body if isinstance(node, ast.ClassDef) and node.name == expected
    ]
    [node] = nodes if expected else [tree(path)]
    return documented(ast.get_docstring(node) or "")


@cache
def _arrays_in(path: str) -> frozenset[str]:
    """The names of a module for types of arrays, as `Scores = NDArray[np.float64]`, its own or imported."""
    names = set()
    for node in tree(path).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
            if _ARRAY.search(ast.unparse(node.value)):
                names |= {ast.unparse(target) for target in node.targets}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("evaluation."):
            source = f"{(node.module or '').replace('.', '/')}.py"
            if (ROOT / source).exists():
                known = _arrays_in(source)
                names |= {one.asname or one.name for one in node.names if one.name in known}
    return frozenset(names)


def _is_protocol(owner: ast.ClassDef) -> bool:
    return any(ast.unparse(base).startswith("Protocol") for base in owner.bases)


@cache
def _promises(*, with_bases: bool) -> frozenset[tuple[str, tuple[str, ...]]]:
    """The methods of the engine's protocols with their parameters, and the documented ones of base classes."""
    return frozenset(
        (one.node.name, one.parameters)
        for one in functions(modules(ENGINE))
        if one.owner is not None and (_is_protocol(one.owner) or (with_bases and one.documented is not None))
    )


def _in_force() -> list[Function]:
    return list(functions(path for path in modules(ENGINE) if not path.startswith(NOT_YET)))


def test_a_public_function_of_arrays_documents_them() -> None:
    bare = [
        one.name
        for one in _in_force()
        if _needs_args(one) and one.documented is None and not _is_documented_elsewhere(one)
    ]

    assert not bare, "no `Args:` in the docstring of\n" + "\n".join(bare)


def test_the_parameters_documented_are_those_of_the_signature_in_order() -> None:
    wrong = misdocumented(_in_force())

    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("home", ALIKE.values(), ids=[what for _, what in ALIKE])
def test_what_several_functions_are_called_with_is_documented_once(home: str) -> None:
    assert _args_of(home)


@pytest.mark.parametrize(
    ("docstring", "names"),
    [
        ("A sentence.", None),
        (
            "A sentence.\n\nArgs:\n    one: It.\n    two: It, and\n        more: of it.\n\nReturns:\n    x: y",
            ("one", "two"),
        ),
        ("A sentence.\n\nArgs:\n    **fields: Of `a: b`.", ("fields",)),
    ],
)
def test_the_section_is_read_as_it_is_written(docstring: str, names: tuple[str, ...] | None) -> None:
    assert documented(docstring) == names
