"""Translates sweep commands of the reference implementation into our options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evaluation.adapters import ADAPTERS, our_name
from evaluation.adapters.environment.reference import ADAPTERS as THEIRS
from evaluation.adapters.environment.reference import PREFIX, implied, outside_grid
from evaluation.adapters.environment.typed import with_our_names, with_settings
from evaluation.core.errors import BenchmarkError
from evaluation.core.terminal.typed import Typed, is_typed, values_of

RETRIEVAL = "retrieval"
#: Variable of the reference -> the option that takes its value.
VALUES = {
    "RETRIEVAL_K": "--k-list",
    "RETRIEVAL_ORDER": "--orders",
    "RETRIEVAL_WRONG_TYPE": "--wrong-type",
    "RETRIEVAL_ORDER_SEED": "--order-seed",
    "RETRIEVAL_DROP_PROB": "--drop-prob",
    "RETRIEVAL_DROP_SEED": "--drop-seed",
    "RETRIEVAL_RETRIEVER": "--retrievers",
    "RETRIEVAL_RERANK": "--selectors",
    "RETRIEVAL_LINEAR_MODEL": "--set",
    "RETRIEVAL_AUTHORITY_FILTER": "--authority-filter",
}
#: Variable -> the switch that it sets: `--option`, `--no-option`.
SWITCHES = {
    "RETRIEVAL_INCLUDE_CLEAR": "include-clear",
    "RETRIEVAL_SELECTOR_ONLY": "selector-only",
    "RETRIEVAL_QUERY_SANDWICH": "query-sandwich",
    "REQUIRE_CITATIONS": "require-citations",
}
#: Other names of options.
ALIASES = {
    "--wrong-type": ("--wrong-types",),
    "--drop-prob": ("--drop-probs",),
}
#: Defaults of the reference's adapter: the latest line alone, and the first of equal scores.
DEFAULTS = {"--k-list": "1", "--wrong-type": "none", "--ties": "earliest", "--selectors": "none"}
#: Variables that ask for candidates: one line, unless RETRIEVAL_K is set.
OF_CANDIDATES = frozenset(
    {*VALUES, *SWITCHES} - {"RETRIEVAL_RERANK", "RETRIEVAL_LINEAR_MODEL", "REQUIRE_CITATIONS"}
)
_ON, _OFF = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def translate_arguments(typed: Typed, environment: Mapping[str, str]) -> Typed:
    """Complete the arguments after `sweep` from the environment, with our names of adapters. Raises BenchmarkError."""
    if typed.words[:1] != ["run"]:
        return typed
    typed.words = typed.words[1:]
    theirs = [name for name in values_of(typed.words, "--adapter") if name in THEIRS]
    typed = with_our_names(typed, implied=False)
    adapters = [our_name(name) for name in values_of(typed.words, "--adapter")]
    before = list(
        _taken(typed, environment, ["REQUIRE_CITATIONS"])
    )  # a setting of the rows, not of an adapter
    if RETRIEVAL in adapters:
        before += _candidates(
            typed, environment, by_itself=any(our_name(name) == RETRIEVAL for name in theirs)
        )
    others = outside_grid(environment)
    with_settings(typed, adapters, ADAPTERS, others)
    for name in theirs:
        if our_name(name) != RETRIEVAL:
            before += [word for pair in implied(name, others).items() for word in ("--set", "=".join(pair))]
    typed.words = ["run", *before, *typed.words]
    return typed


def _candidates(typed: Typed, environment: Mapping[str, str], *, by_itself: bool) -> list[str]:
    """Return the options that environment variables set, with the defaults of the reference's adapter if `by_itself`.

    Otherwise `--k-list 1` is the only default, if a variable is about candidates.
    """
    asked = any(environment.get(PREFIX + name) for name in OF_CANDIDATES)
    chosen = DEFAULTS if by_itself else {"--k-list": "1"} if asked else {}
    said = {option for name, option in VALUES.items() if environment.get(PREFIX + name)}
    said |= {option for option in chosen if is_typed(typed.words, *_names(option))}
    words = [word for option, value in chosen.items() if option not in said for word in (option, value)]
    if words and by_itself:
        typed.hints[-1] += f", whose defaults add {' '.join(words)}"
    names = [name for name in (*VALUES, *SWITCHES) if name != "REQUIRE_CITATIONS"]
    return [*words, *_taken(typed, environment, names)]


def _taken(typed: Typed, environment: Mapping[str, str], names: Sequence[str]) -> Iterator[str]:
    for name in names:
        if value := environment.get(PREFIX + name, ""):
            words = _words(name, value)
            explicit = is_typed(typed.words, *_names(words[0]))
            if words[0] == "--set":
                explicit = any(pair.startswith("linear_model=") for pair in values_of(typed.words, "--set"))
            yield from typed.take(PREFIX + name, value, words, typed=explicit)


def _words(name: str, value: str) -> list[str]:
    if name in SWITCHES:
        return [f"--{SWITCHES[name]}" if _is_on(name, value) else f"--no-{SWITCHES[name]}"]
    if name == "RETRIEVAL_AUTHORITY_FILTER":
        return [VALUES[name], "on" if _is_on(name, value) else "off"]
    return [VALUES[name], f"linear_model={value}" if VALUES[name] == "--set" else value]


def _is_on(name: str, value: str) -> bool:
    if value.lower() not in _ON + _OFF:
        raise BenchmarkError(f"{PREFIX}{name}: must be 1 or 0")
    return value.lower() in _ON


def _names(option: str) -> list[str]:
    plain = option.removeprefix("--no-").removeprefix("--")
    return [option, *ALIASES.get(option, ()), f"--{plain}", f"--no-{plain}"]
