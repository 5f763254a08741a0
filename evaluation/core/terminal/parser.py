"""Command-line parsers without abbreviated options, whose messages do not repeat secrets.

With abbreviations `--token` would be read as `--tokens-per-query`, and the error message would print a secret.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from evaluation.core.secrets import is_secret, redact

_SHORTEST = 4  # hiding shorter words would garble the message
_OPTION = re.compile(r"--[A-Za-z][\w-]*|-[A-Za-z]")
#: Word in the name of an unknown option -> where that secret is read from.
SECRETS = {
    "token": "a token is read from GOLDEVIDENCEBENCH_TOKEN, or stored by `goldevidencebench login`",
    "key": "the key of a model server is read from GOLDEVIDENCEBENCH_API_KEY or OPENAI_API_KEY",
}
#: Exit code -> meaning, the same for all commands.
EXIT_CODES = {
    0: "done",
    1: "a check failed",
    2: "bad input or usage",
    3: "a run has paused",
    130: "interrupted",
}
NO_SECRETS = "secrets are not accepted as arguments, because other users can see arguments"


if TYPE_CHECKING:
    _AnyParser = argparse.ArgumentParser
else:
    _AnyParser = object


class DiscreetMixin(_AnyParser):
    """Mixin for subclasses of ArgumentParser whose messages name options, but do not repeat secret values."""

    _secrets: Sequence[str] = ()  # of the current command line

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does, but refuse unknown arguments, with hints at the options of the (sub)command."""
        self._secrets = _secrets(sys.argv[1:] if args is None else args)
        parsed, strangers = super().parse_known_args(args, namespace)
        if strangers:
            self.error("; ".join(_complaints(strangers, self._option_string_actions)))
        return parsed, strangers

    def error(self, message: str) -> NoReturn:
        """Print an error message as argparse does, with secrets hidden."""
        super().error(redact(message, self._secrets))
        raise AssertionError  # unreachable: argparse exits, Django raises


class Parser(DiscreetMixin, argparse.ArgumentParser):
    """A parser (and its subparsers) without abbreviated options. Its help ends with the exit codes."""

    def __init__(self, *args: Any, **options: Any) -> None:
        codes = ", ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES.items())
        options.setdefault("epilog", f"Exit codes: {codes}.")
        super().__init__(*args, **options | {"allow_abbrev": False})


def _secrets(words: Sequence[str]) -> list[str]:
    pairs = [word.partition("=") for word in words]
    joined = [value for name, _, value in pairs if is_secret(name)]
    behind = [
        word
        for (name, equals, _), word in zip(pairs, words[1:], strict=False)
        if is_secret(name) and not equals
    ]
    return [secret for secret in joined + behind if len(secret) >= _SHORTEST]


def _complaints(strangers: Sequence[str], known: Iterable[str]) -> Iterator[str]:
    """A sentence for each unknown option; other arguments are only counted, as they may be values of options."""
    words = zip(strangers, ["", *strangers], strict=False)
    names = [match[0] for word, before in words if not is_secret(before) and (match := _OPTION.match(word))]
    for name in dict.fromkeys(names):
        yield f"unknown option {name}{_hint(name, known)}"
    if not names:
        count = len(strangers)
        yield f"{count} {'argument' if count == 1 else 'arguments'} too many (not shown, as they may be secret)"


def _hint(name: str, known: Iterable[str]) -> str:
    if is_secret(name):
        advice = next((text for word, text in SECRETS.items() if word in name.lower()), "")
        return f": {advice}; {NO_SECRETS}" if advice else f": {NO_SECRETS}"
    near = difflib.get_close_matches(name, sorted(known), n=1)
    return f". Did you mean {near[0]}?" if near else ""
