"""`goldevidencebench generate`: write the rows of a benchmark, with gold, as JSON lines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence import GeneratorConfig
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.generator.modes import MODES

HELP = "Generate a benchmark: episodes, books, questions and gold. An open demo: anybody can make the same."
CHOICES = {"state_mode": list(MODES), "distractor_profile": list(PROFILES)}

Row = dict[str, Any]


def configure(parser: argparse.ArgumentParser) -> None:
    """A flag for every setting of the generator; one not given keeps the preset's value, or the default."""
    parser.add_argument(
        "--out", required=True, help="where to write the rows; gzip where the name ends in .gz"
    )
    parser.add_argument("--seed", type=int, help="the seed (default 0; with --preset: the preset's seeds)")
    parser.add_argument(
        "--preset", help="the rows of an open demo version of a preset, its conditions included"
    )
    for setting in fields(GeneratorConfig):
        flag, default = "--" + setting.name.replace("_", "-"), f"default {setting.default}"
        if isinstance(setting.default, bool):
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, default=None, help=default)
        else:
            kind, choices = type(setting.default), CHOICES.get(setting.name)
            parser.add_argument(flag, type=kind, choices=choices, help=default)


def run(args: argparse.Namespace) -> int:
    """Write the rows and say how many."""
    from evaluation.goldevidence.data import flat

    given = {setting.name: getattr(args, setting.name) for setting in fields(GeneratorConfig)}
    chosen = {name: value for name, value in given.items() if value is not None}
    units, total = _of_preset(args, chosen) if args.preset else _of_generator(args, chosen)
    count = flat.write(args.out, (row for rows in _with_progress(units, total) for row in rows))
    print(f"wrote {number_of(count, 'row')} of {number_of(total, 'episode')} to {args.out}", file=sys.stderr)
    return 0


def _of_generator(args: argparse.Namespace, chosen: Row) -> tuple[Iterator[list[Row]], int]:
    from evaluation.goldevidence.generator.episodes import generate_units

    config = GeneratorConfig(**chosen)
    return (unit.rows for unit in generate_units(config, args.seed or 0)), config.episodes


def _of_preset(args: argparse.Namespace, chosen: Row) -> tuple[Iterator[list[Row]], int]:
    """The rows of a version as they are frozen, whole-book and condition rows, with gold."""
    from evaluation.core.suite import get_suite
    from evaluation.goldevidence.presets import Settings, get_preset

    data = get_preset(args.preset).as_json()
    data["generator"] |= chosen
    for name in ("state_mode", "distractor_profile"):
        if name in chosen:
            data[f"{name}s"] = [chosen[name]]
    if args.seed is not None:
        data["seeds"] = [args.seed]
    settings = Settings.from_json(data)
    items = get_suite(settings.suite).generate(settings.as_json())
    return (item.rows for item in items), settings.count_units()


def _with_progress(units: Iterable[list[Row]], total: int) -> Iterable[list[Row]]:
    """A progress bar where a person is watching."""
    if not sys.stderr.isatty():
        return units
    from rich.console import Console
    from rich.progress import track

    return track(units, "generating", total, console=Console(stderr=True))
