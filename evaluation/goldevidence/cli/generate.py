"""Implements `goldevidencebench generate`: its options and rows. See `evaluation.core.terminal.commands.Generator`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evaluation.core.errors import SettingsError
from evaluation.core.terminal.commands import Generated
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence.cli import words
from evaluation.goldevidence.cli.forked import alternating
from evaluation.goldevidence.generator.fields import SETTINGS
from evaluation.goldevidence.generator.published import config_of
from evaluation.goldevidence.protocols import NAMES, protocol_named, shown_by

if TYPE_CHECKING:
    from evaluation.core.files.flat import Encoded

HELP = "Generate a benchmark: episodes, books, questions and gold. An open demo: its answers are public."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", required=True, help="output file of rows; compressed if its name ends in .gz"
    )
    parser.add_argument("--seed", type=int, help="the seed (default 0; with --preset: the preset's seeds)")
    parser.add_argument(
        "--preset", help="generate the rows of an open demo version of this preset, condition rows included"
    )
    parser.add_argument(
        "--protocol",
        choices=NAMES,
        help="text that rows show: the book (closed), the log (open), or the log to build a book from (build); "
        "default: the preset's, else both texts",
    )
    for name, setting in SETTINGS.items():
        flag, text = "--" + name.replace("_", "-"), f"{setting.description} Default: {setting.default}"
        if isinstance(setting.default, bool):
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, default=None, help=text)
        elif isinstance(setting.default, tuple):
            text = f"{setting.description} Separate several by commas. Default: none"
            parser.add_argument(flag, type=lambda names: tuple(words(names)), help=text)
        else:
            parser.add_argument(flag, type=type(setting.default), choices=setting.choices, help=text)


def generated(args: argparse.Namespace) -> Generated:
    provided = {name: getattr(args, name) for name in SETTINGS}
    chosen = {name: value for name, value in provided.items() if value is not None}
    groups, total = _preset_rows(args, chosen) if args.preset else _generator_rows(args, chosen)
    return Generated(groups, ("row",), f" of {number_of(total, 'episode')}", total)


def _generator_rows(args: argparse.Namespace, chosen: dict[str, Any]) -> tuple[Iterator[Encoded], int]:
    from evaluation.core.files import flat
    from evaluation.goldevidence.generator.episodes import generate_unit

    config, seed, protocol = config_of(chosen), args.seed or 0, protocol_named(args.protocol or "")
    if config.families:
        raise SettingsError({"families": ["needs a preset with several lengths: name one with --preset."]})

    def encoded(index: int) -> Encoded:
        return flat.encode([shown_by(row, protocol) for row in generate_unit(config, seed, index).rows])

    return alternating(encoded, config.episodes), config.episodes


def _preset_rows(args: argparse.Namespace, chosen: dict[str, Any]) -> tuple[Iterator[Encoded], int]:
    """Return the preset's rows with gold, and the number of units (episodes with their twins)."""
    from evaluation.core.files import flat
    from evaluation.core.suite import get_suite
    from evaluation.goldevidence.presets import Settings, get_preset

    data = get_preset(args.preset).as_json()
    data["generator"] |= chosen
    for name in ("state_mode", "distractor_profile"):
        if name in chosen:
            data[f"{name}s"] = [chosen[name]]
    if args.protocol:
        data["protocol"] = args.protocol
    if args.seed is not None:
        data["seeds"] = [args.seed]
    settings = Settings.from_json(data)
    items = get_suite(settings.suite).version(settings.as_json()).generate()
    return (flat.encode(item.rows) for item in items), settings.count_units()
