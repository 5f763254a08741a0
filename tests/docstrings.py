"""Public functions of our packages, with their parameters as defined and as documented."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_BARE = {
    "property",
    "cached_property",
    "overload",
}  # decorators: getters are self-evident, overloads have no docstring
_ENTRY = re.compile(r" {4}\*{0,2}(\w+): \S")


@dataclass(frozen=True)
class Function:
    """A public function, or a public method of a public class."""

    path: str
    owner: ast.ClassDef | None
    node: ast.FunctionDef | ast.AsyncFunctionDef

    @property
    def name(self) -> str:
        owner = f"{self.owner.name}." if self.owner else ""
        return f"{self.path}:{self.node.lineno} {owner}{self.node.name}"

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names in order, without `self` and `cls`."""
        given = self.node.args
        names = [one.arg for one in (*given.posonlyargs, *given.args)]
        if self.owner is not None and "staticmethod" not in _decorators(self.node):
            names = names[1:]
        rest = (given.vararg, *given.kwonlyargs, given.kwarg)
        return (*names, *(one.arg for one in rest if one is not None))

    @property
    def documented(self) -> tuple[str, ...] | None:
        """The names in `Args:`, None without such a section."""
        return documented(ast.get_docstring(self.node) or "")


def documented(docstring: str) -> tuple[str, ...] | None:
    """The names in the section `Args:` of a docstring, None without one."""
    lines = docstring.splitlines()
    if "Args:" not in lines:
        return None
    names = []
    for line in lines[lines.index("Args:") + 1 :]:
        if line and not line.startswith(" "):
            break
        if entry := _ENTRY.match(line):
            names.append(entry[1])
    return tuple(names)


@cache
def tree(path: str) -> ast.Module:
    """The syntax of a module, by its path from the root of the repository."""
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def modules(package: str) -> Iterator[str]:
    """The paths of a package's modules, from the root of the repository."""
    return (path.relative_to(ROOT).as_posix() for path in sorted((ROOT / package).rglob("*.py")))


def functions(paths: Iterable[str]) -> Iterator[Function]:
    """The public functions and methods of modules."""
    for path in paths:
        for node in tree(path).body:
            members = [(node, one) for one in node.body] if isinstance(node, ast.ClassDef) else [(None, node)]
            for owner, one in members:
                if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                    continue
                private = one.name.startswith("_") or (owner is not None and owner.name.startswith("_"))
                if not private and _decorators(one).isdisjoint(_BARE):
                    yield Function(path, owner, one)


def misdocumented(checked: Iterable[Function]) -> list[str]:
    """Functions whose `Args:` has unknown names or another order than the signature; names may be left out."""
    return [
        f"{one.name}: Args has {', '.join(one.documented)}; it takes {', '.join(one.parameters)}"
        for one in checked
        if one.documented is not None
        and one.documented != tuple(name for name in one.parameters if name in one.documented)
    ]


def _decorators(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    return {ast.unparse(one).rpartition(".")[2] for one in node.decorator_list}
