"""Public functions of the site say what each parameter is; the names in `Args:` are those of the signature."""

from __future__ import annotations

import ast

from tests.docstrings import Function, functions, misdocumented, modules

#: Django calls these, and its own documentation says with what.
HOOKS = ("leaderboard/migrations/",)
#: What a URL leads to, and the pages of errors: the address says what they are called with.
VIEWS = ("/views.py", "/views/", "leaderboard/web/errors.py", "leaderboard/web/stale.py")
#: What registers a function whose parameters are those of an address, or of a template's tag.
REGISTERS = ("router.", "run_router.", "bench_router.", "register.")


def _needs_args(one: Function) -> bool:
    return len(one.parameters) > 1 and not (_is_hook(one) or _is_view(one))


def _is_hook(one: Function) -> bool:
    """A method of a class with a base keeps the promise of that: a model, a form, a page of the admin, a command."""
    return one.owner is not None and bool(one.owner.bases)


def _is_view(one: Function) -> bool:
    decorators = [ast.unparse(decorator) for decorator in one.node.decorator_list]
    takes_request = one.parameters[0] == "request" and any(place in one.path for place in VIEWS)
    return takes_request or any(decorator.startswith(REGISTERS) for decorator in decorators)


def _in_force() -> list[Function]:
    return list(functions(path for path in modules("leaderboard") if not path.startswith(HOOKS)))


def test_a_public_function_with_several_parameters_documents_them() -> None:
    bare = [one.name for one in _in_force() if _needs_args(one) and one.documented is None]

    assert not bare, "no `Args:` in the docstring of\n" + "\n".join(bare)


def test_the_parameters_documented_are_those_of_the_signature_in_order() -> None:
    wrong = misdocumented(_in_force())

    assert not wrong, "\n".join(wrong)
