"""Adds the command-line options of a sweep, and builds its grid of settings from them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

from evaluation import adapters
from evaluation.adapters.pairs import parse_pairs
from evaluation.core.errors import BenchmarkError, SettingsError
from evaluation.core.terminal.arguments import LateHelp, not_negative, positive, rate
from evaluation.goldevidence.cli import words
from evaluation.goldevidence.conditions.fields import plain
from evaluation.goldevidence.experiments.sweep.contestants import Contestant, adapters_with
from evaluation.goldevidence.experiments.sweep.grid import Grid
from evaluation.goldevidence.generator.fields import OF_FAMILIES, SETTINGS
from evaluation.goldevidence.generator.published import config_of
from evaluation.goldevidence.protocols import NAMES
from evaluation.goldevidence.retrieval import RIVALS

if TYPE_CHECKING:
    from evaluation.goldevidence.conditions.conditions import Condition

Actions: TypeAlias = "argparse._SubParsersAction[Any]"
DEFAULT_SYSTEM = "prefer_update_latest"
#: Defaults that differ from the generator's: those of the reference's sweeps.
DEFAULTS: dict[str, int] = {"episodes": 1, "keys": 10, "chapters": 6}
#: Settings with an option of several values.
LISTED = ("steps", "state_mode", "distractor_profile")
#: Options of candidates -> default.
OF_CANDIDATES: dict[str, Any] = {
    "orders": "shuffle",
    "wrong_type": "same_key",
    "drop_prob": "0",
    "order_seed": 0,
    "drop_seed": 0,
    "retrievers": "key",
    "ties": "latest",
    "spoof_rate": 0.0,
    "query_sandwich": False,
    "include_clear": True,
}
FILTERS = {"off": (False,), "on": (True,), "both": (False, True)}


def add_data_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for generated data: those of the reference implementation, and the other generator settings."""
    data = parser.add_argument_group("generated data")
    data.add_argument("--seeds", type=positive, default=1, help="seeds 0 to N-1 (default 1)")
    data.add_argument("--steps", type=positive, default=220, help="lines of a log (default 220)")
    data.add_argument(
        "--steps-list", default="", metavar="N,N", help="several numbers of log lines, separated by commas"
    )
    data.add_argument("--state-modes", default="kv", help="state modes, separated by commas (default kv)")
    data.add_argument(
        "--distractor-profiles", default="standard", help="profiles, separated by commas (default standard)"
    )
    data.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="NAME=V,V",
        help="values of another generator setting: note_rate=0.2,0.4. Repeated options are combined with each other",
    )
    data.add_argument("--no-derived-queries", action="store_true", help="direct questions only")
    for name, setting in SETTINGS.items():
        if name in LISTED or name in OF_FAMILIES:
            continue
        flag, default = "--" + name.replace("_", "-"), DEFAULTS.get(name, setting.default)
        text = f"{setting.description} Default: {default}"
        if isinstance(setting.default, bool):
            data.add_argument(flag, action=argparse.BooleanOptionalAction, default=default, help=text)
        else:
            data.add_argument(
                flag, type=type(setting.default), choices=setting.choices, default=default, help=text
            )


def add_view_options(parser: argparse.ArgumentParser) -> None:
    view = parser.add_argument_group("text shown")
    view.add_argument(
        "--protocol",
        choices=NAMES,
        default="closed",
        help="text shown: the book (closed), the log (open), or the log to build a book from (build)",
    )
    view.add_argument(
        "--max-book-tokens", type=positive, metavar="N", help="show only the last N words of the text"
    )
    view.add_argument(
        "--max-book-tokens-list",
        default="",
        metavar="N,N",
        help="several limits in words, separated by commas",
    )
    view.add_argument(
        "--k-list", default="", metavar="N,N", help="numbers of candidates to show instead of the text"
    )
    view.add_argument("--orders", help="orders of the candidates (default shuffle)")
    view.add_argument(
        "--wrong-type",
        "--wrong-types",
        help=f"kinds of wrong lines: {', '.join(RIVALS)} (default same_key)",
    )
    view.add_argument(
        "--drop-prob", "--drop-probs", help="probabilities of dropping the gold line (default 0)"
    )
    view.add_argument("--order-seed", type=not_negative, metavar="N", help="separate seed of the shuffle")
    view.add_argument(
        "--drop-seed", type=not_negative, metavar="N", help="separate seed of the dropped gold lines"
    )
    view.add_argument("--retrievers", help="retrievers of the candidates (default key)")
    view.add_argument("--ties", help="which of two lines with equal scores is ranked first (default latest)")
    view.add_argument("--spoof-rate", type=rate, help="share of disguised lines (default 0)")
    view.add_argument(
        "--query-sandwich",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="ask the question before and after the candidates",
    )
    view.add_argument(
        "--include-clear",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="show CLEAR lines too (default)",
    )
    view.add_argument(
        "--authority-filter",
        choices=list(FILTERS),
        default="off",
        help="leave NOTEs out of the candidates; both: off and on",
    )


def add_system_options(parser: argparse.ArgumentParser) -> None:
    who = parser.add_argument_group("systems")
    who.add_argument(
        "--systems", help=f"deterministic systems, separated by commas (default {DEFAULT_SYSTEM})"
    )
    who.add_argument(
        "--adapter",
        action="append",
        default=[],
        help=LateHelp(_adapters),  # looks for installed packages, so only when help is shown
    )
    who.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the adapters"
    )
    who.add_argument(
        "--vary-set",
        action="append",
        default=[],
        metavar="KEY=V,V",
        help="values of an adapter setting; each combination is run as a separate system",
    )
    who.add_argument(
        "--selectors", default="", help="selectors of the adapter `retrieval`, separated by commas"
    )
    who.add_argument(
        "--selector-only",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="the adapter `retrieval` answers with a citation only, without a value",
    )


def _adapters() -> str:
    return f"one of {', '.join(adapters.ADAPTERS)}, or module:factory; several are allowed"


def grid_of(args: argparse.Namespace) -> Grid:
    """Build the grid from the options. Raises SettingsError for invalid values, UnknownNameError for unknown names."""
    chosen = {
        name: getattr(args, name) for name in SETTINGS if name not in LISTED and name not in OF_FAMILIES
    }
    if args.no_derived_queries:
        chosen["derived_query_rate"] = 0.0
    steps = numbers(args.steps_list) or [args.steps]
    return Grid(
        contestants=contestants(args),
        config=config_of(chosen | {"steps": max(steps)}),
        seeds=args.seeds,
        steps=steps,
        state_modes=words(args.state_modes),
        distractor_profiles=words(args.distractor_profiles),
        varied={name: [_typed(name, each) for each in words(values)] for name, values in _pairs(args.vary)},
        max_book_tokens=numbers(args.max_book_tokens_list) or [args.max_book_tokens],
        conditions=list(_conditions(args)),
        authority_filter=FILTERS[args.authority_filter],
        protocol=args.protocol,
        rubric=args.rubric,
    )


def contestants(args: argparse.Namespace) -> list[Contestant]:
    systems = args.systems
    if systems is None:
        systems = "" if args.adapter else DEFAULT_SYSTEM
    shared, varied = parse_pairs(args.set), {name: words(values) for name, values in _pairs(args.vary_set)}
    if args.selectors:
        varied["selector"] = words(args.selectors)
    if args.selector_only:
        shared["selector_only"] = "true"
    if (shared or varied) and not args.adapter:
        raise SettingsError(
            {name: ["is a setting of adapters: name one with --adapter."] for name in (*shared, *varied)}
        )
    rules = [Contestant.system(name) for name in words(systems)]
    return [*rules, *(adapters_with(args.adapter, shared, varied) if args.adapter else [])]


def _conditions(args: argparse.Namespace) -> Iterable[Condition]:
    """Yield a condition per combination of option values. Raises SettingsError for an option that needs `--k-list`."""
    typed = {name: value for name in OF_CANDIDATES if (value := getattr(args, name)) is not None}
    if typed and not words(args.k_list):
        raise SettingsError(
            {name: ["applies only to candidates: set their number, such as --k-list 4."] for name in typed}
        )
    chosen = OF_CANDIDATES | typed
    lists = (
        numbers(args.k_list),
        words(chosen["orders"]),
        words(chosen["wrong_type"]),
        rates(chosen["drop_prob"]),
        words(chosen["retrievers"]),
        words(chosen["ties"]),
    )
    for k, order, rival, drop, retriever, ties in product(*lists):
        settings = {"k": k, "order": order, "wrong_type": rival, "drop_prob": drop, "retriever": retriever}
        same = ("spoof_rate", "query_sandwich", "order_seed", "drop_seed", "include_clear")
        yield _condition(settings | {"ties": ties} | {name: chosen[name] for name in same})


def _condition(settings: Mapping[str, object]) -> Condition:
    if (condition := plain(settings)) is not None:
        return condition
    from evaluation.goldevidence.conditions.conditions import Condition

    return Condition.from_json(settings)


def numbers(text: str) -> list[int]:
    """Parse comma-separated integers. Raises BenchmarkError for anything else."""
    try:
        return [int(item) for item in words(text)]
    except ValueError as error:
        raise BenchmarkError(f"{text!r} is not a comma-separated list of whole numbers") from error


def rates(text: str) -> list[float]:
    """Parse comma-separated numbers. Raises BenchmarkError for anything else."""
    try:
        return [float(item) for item in words(text)]
    except ValueError as error:
        raise BenchmarkError(f"{text!r} is not a comma-separated list of numbers") from error


def _pairs(texts: Iterable[str]) -> Iterable[tuple[str, str]]:
    return parse_pairs(texts).items()


def _typed(name: str, text: str) -> Any:
    """Parse the text of a generator setting. Returns an unparsable text unchanged, so that validation reports it."""
    kind = type(SETTINGS[name].default) if name in SETTINGS else str
    if kind is bool:
        return {"true": True, "false": False}.get(text.lower(), text)
    try:
        return kind(text)
    except ValueError:
        return text
