"""The names in `Args:` of the site's public functions are those of the signature."""

from __future__ import annotations

from tests.docstrings import functions, misdocumented, modules

#: Django calls these, and its own documentation says with what.
HOOKS = ("leaderboard/migrations/",)


def test_the_parameters_documented_are_those_of_the_signature_in_order() -> None:
    wrong = misdocumented(
        list(functions(path for path in modules("leaderboard") if not path.startswith(HOOKS)))
    )

    assert not wrong, "\n".join(wrong)
