"""Parsers of command lines: no abbreviated options, and no value of an argument in a message that nobody asked for.

An abbreviation is read as another option (`--token` as `--tokens-per-query`), and the message about its value prints a
secret.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from evaluation.core.secrets import is_secret, redact

_SHORTEST = 4  # characters: hiding a shorter word would spoil the message
_OPTION = re.compile(r"--[A-Za-z][\w-]*|-[A-Za-z]")
#: Where a secret is read from, by a word of the option that somebody tried.
SECRETS = {
    "token": "a token is read from GOLDEVIDENCEBENCH_TOKEN, or kept by `goldevidencebench login`",
    "key": "the key of a model server is read from GOLDEVIDENCEBENCH_API_KEY or OPENAI_API_KEY",
}
NO_SECRETS = "secrets are no arguments, which others can see"


if TYPE_CHECKING:
    _AnyParser = argparse.ArgumentParser
else:
    _AnyParser = object


class DiscreetMixin(_AnyParser):
    """For a subclass of ArgumentParser: messages name options and never repeat what was given for them."""

    _secrets: Sequence[str] = ()  # of the command line that is being read

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As in argparse; what is not known ends here, with the options of this very command at hand.

        Args:
            args: The words of the command line; those of the process where None.
            namespace: Where the values go; a new one where None.

        Returns:
            The namespace, and an empty list of unknown words.

        Raises:
            SystemExit: A word is not known.
        """
        self._secrets = _secrets(sys.argv[1:] if args is None else args)
        parsed, strangers = super().parse_known_args(args, namespace)
        if strangers:
            self.error("; ".join(_complaints(strangers, self._option_string_actions)))
        return parsed, strangers

    def error(self, message: str) -> NoReturn:
        """As in argparse, without secrets."""
        super().error(redact(message, self._secrets))
        raise AssertionError  # argparse has ended the program, or Django raised


class Parser(DiscreetMixin, argparse.ArgumentParser):
    """A parser whose options are written in full; those of its subcommands, too."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options | {"allow_abbrev": False})


def _secrets(words: Sequence[str]) -> list[str]:
    """What is given for options with the name of a secret, wherever it lands."""
    pairs = [word.partition("=") for word in words]
    joined = [value for name, _, value in pairs if is_secret(name)]
    behind = [
        word
        for (name, equals, _), word in zip(pairs, words[1:], strict=False)
        if is_secret(name) and not equals
    ]
    return [secret for secret in joined + behind if len(secret) >= _SHORTEST]


def _complaints(strangers: Sequence[str], known: Iterable[str]) -> Iterator[str]:
    """A sentence for each unknown option; other words are only counted, for they may be values of these."""
    words = zip(strangers, ["", *strangers], strict=False)
    names = [match[0] for word, before in words if not is_secret(before) and (match := _OPTION.match(word))]
    for name in dict.fromkeys(names):
        yield f"unknown option {name}{_hint(name, known)}"
    if not names:
        count = len(strangers)
        yield f"{count} {'argument' if count == 1 else 'arguments'} too many (not repeated here)"


def _hint(name: str, known: Iterable[str]) -> str:
    if is_secret(name):
        advice = next((text for word, text in SECRETS.items() if word in name.lower()), "")
        return f": {advice}; {NO_SECRETS}" if advice else f": {NO_SECRETS}"
    near = difflib.get_close_matches(name, sorted(known), n=1)
    return f". Did you mean {near[0]}?" if near else ""
