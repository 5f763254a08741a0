"""`goldevidencebench selector`: export examples, train the linear selector, evaluate it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.core.files.documents import beside
from evaluation.core.terminal.arguments import above_zero, finite, positive, rate, several
from evaluation.core.terminal.output import print_json
from evaluation.core.terminal.tables import rate_text, show
from evaluation.core.terminal.wording import number_of
from evaluation.goldevidence import generate
from evaluation.goldevidence.cli import words
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.perturb import ORDERS, PUBLISHED_ORDERS
from evaluation.goldevidence.experiments.selection import Measured, evaluate
from evaluation.goldevidence.generator.config import GeneratorConfig
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.retrieval import RIVALS
from evaluation.goldevidence.selectors import Selector, get_selector
from evaluation.goldevidence.selectors.export import ExportSettings, export
from evaluation.goldevidence.selectors.linear import LinearSelector, load, save, train

HELP = "Export selector examples, train the linear selector, evaluate it by line order and share of NOTEs."
HEADINGS = {
    "gold_present_rate": "gold shown",
    "selection_rate": "chosen",
    "accuracy_when_gold_present": "right when shown",
    "value_acc": "right",
    "selected_note_rate": "a NOTE chosen",
}
EVALUATION_SEED = 1_000_000  # far from the training seeds: other episodes


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    export_parser = actions.add_parser("export", help="Write training examples from rows with gold.")
    export_parser.add_argument("--data", required=True, help="benchmark rows, .jsonl or .jsonl.gz")
    beside.add_option(export_parser)
    export_parser.add_argument("--out", required=True, help="file of examples")
    _add_export_options(export_parser, use_gold_support=False, include_clear=False)
    export_parser.set_defaults(act=_export)

    train_parser = actions.add_parser("train", help="Train the linear selector on exported examples.")
    train_parser.add_argument("--data", required=True, help="exported examples")
    train_parser.add_argument("--out", required=True, help="the model, a JSON file")
    _add_training_options(train_parser)
    train_parser.set_defaults(act=_train)

    evaluate_parser = actions.add_parser(
        "evaluate", help="Evaluate selectors by order of the lines and share of NOTEs."
    )
    evaluate_parser.add_argument("--model", help="a linear selector's JSON file")
    evaluate_parser.add_argument(
        "--selectors", default="latest_step,prefer_update_latest", help="comma-separated names"
    )
    evaluate_parser.add_argument(
        "--wrong-type", choices=RIVALS, default="same_key", help="kind of wrong line"
    )
    evaluate_parser.add_argument("--k", type=int, default=4, help="candidates shown")
    _add_evaluation_options(evaluate_parser)
    evaluate_parser.set_defaults(act=_evaluate)

    demo_parser = actions.add_parser("demo", help="Generate, train and evaluate, before and after.")
    demo_parser.add_argument("--out", help="file in which the trained model is stored")
    demo_parser.add_argument("--train-episodes", type=positive, default=40, help="episodes to train on")
    demo_parser.add_argument(
        "--train-k",
        type=several(positive),
        default="1,2,4,8",
        help="comma-separated numbers of candidates in the examples",
    )
    demo_parser.add_argument(
        "--train-note-rate", type=rate, default=0.30, help="share of NOTEs in the training episodes"
    )
    _add_export_options(demo_parser, use_gold_support=True, include_clear=True)
    _add_training_options(demo_parser)
    _add_evaluation_options(demo_parser)
    demo_parser.set_defaults(act=_demo)
    for action in (export_parser, train_parser, evaluate_parser, demo_parser):
        action.add_argument("--seed", type=int, default=0, help="random seed (default 0)")


def run(args: argparse.Namespace) -> int:
    code: int = args.act(args)
    return code


def _export(args: argparse.Namespace) -> int:
    examples = export(
        cast(Iterator[EpisodeRow], beside.read(args.data, args.documents)), _export_settings(args)
    )
    with _rows_of(args.data):
        count = jsonl.write(args.out, examples, sources=[args.data])
    print(f"{number_of(count, 'example')} written to {args.out}")
    return 0


def _train(args: argparse.Namespace) -> int:
    with _rows_of(args.data):
        selector = _trained(jsonl.read(args.data), args)
    save(selector, args.out, sources=[args.data])
    print(f"{_training_line(selector)}; written to {args.out}")
    if args.json:
        print_json(dict(selector.meta))
    return 0


@contextmanager
def _rows_of(path: str) -> Iterator[None]:
    """Add the file's name to a RowError that names only a row, if one is raised inside the block."""
    try:
        yield
    except RowError as error:
        raise error if error.path else RowError(f"row {error.line}: {error.reason}", path=path) from error


def _evaluate(args: argparse.Namespace) -> int:
    selectors = {name: get_selector(name) for name in words(args.selectors)}
    if args.model:
        selectors[args.model] = load(args.model)
    measured = _measure(selectors, args)
    _print_measured(measured, "Selectors")
    if args.json:
        print_json([each._asdict() for each in measured])
    return 0


def _demo(args: argparse.Namespace) -> int:
    config = GeneratorConfig(
        episodes=args.train_episodes,
        state_mode="kv_commentary",
        distractor_profile="standard",
        note_rate=args.train_note_rate,
    )
    rows = list(generate(config, args.seed))
    settings = _export_settings(args)
    sizes = [replace(settings, k=k) for k in args.train_k]
    selector = _trained((example for size in sizes for example in export(rows, size)), args)
    print(_training_line(selector))
    untrained = {name: get_selector(name) for name in ("none", "latest_step")}
    before, after = _measure(untrained, args), _measure({"linear": selector}, args)
    _print_measured(before, "Before: position and recency")
    _print_measured(after, "After: the trained linear selector")
    if args.out:
        save(selector, args.out)
        print(f"written to {args.out}")
    if args.json:
        told = {"before": before, "after": after}
        print_json({name: [each._asdict() for each in found] for name, found in told.items()})
    return 0


def _trained(examples: Iterable[Mapping[str, object]], args: argparse.Namespace) -> LinearSelector:
    return train(examples, epochs=args.epochs, lr=args.lr, seed=args.seed, note_penalty=args.note_penalty)


def _training_line(selector: LinearSelector) -> str:
    meta = selector.meta
    rates = (
        f"{part} {rate_text(meta[f'{part}_selection_rate'])} of {meta[f'{part}_examples']}"
        for part in ("train", "test")
    )
    return f"selection rate: {', '.join(rates)} examples"


def _measure(selectors: dict[str, Selector], args: argparse.Namespace) -> list[Measured]:
    conditions = [
        Condition.from_json({"k": args.k, "order": order, "wrong_type": args.wrong_type})
        for order in words(args.orders)
    ]
    return list(
        evaluate(
            selectors,
            conditions,
            config=GeneratorConfig(
                episodes=args.episodes, state_mode="kv_commentary", distractor_profile="standard"
            ),
            note_rates=args.note_rates,
            seed=EVALUATION_SEED + args.seed,
            gate=args.gate,
        )
    )


def _print_measured(measured: Iterable[Measured], title: str) -> None:
    headings = ("selector", "note rate", "condition", *HEADINGS.values())
    rows = (
        (name, f"{note_rate:g}", condition, *(rate_text(rates[metric]) for metric in HEADINGS))
        for name, note_rate, condition, rates in measured
    )
    show(title, headings, rows)


def _export_settings(args: argparse.Namespace) -> ExportSettings:
    return ExportSettings(
        k=args.k,
        wrong_type=args.wrong_type,
        order=None if args.order == "none" else args.order,
        drop_prob=args.drop_prob,
        include_clear=args.include_clear,
        authoritative_only=args.authoritative_only,
        use_gold_support=args.use_gold_support,
        hard_negatives=args.hard_negatives,
        seed=args.seed,
    )


def _add_export_options(
    parser: argparse.ArgumentParser, *, use_gold_support: bool, include_clear: bool
) -> None:
    flag = argparse.BooleanOptionalAction
    parser.add_argument("--k", type=int, default=4, help="number of latest lines of the key (default 4)")
    parser.add_argument(
        "--wrong-type", choices=RIVALS, default="same_key", help="kind of wrong line added to the examples"
    )
    parser.add_argument(
        "--order",
        choices=[*ORDERS, "none"],
        default="shuffle",
        help="order of the lines; none: by rising step",
    )
    parser.add_argument(
        "--drop-prob", type=rate, default=0.0, help="probability of dropping the correct line"
    )
    parser.add_argument("--include-clear", action=flag, default=include_clear, help="show CLEAR lines too")
    parser.add_argument("--authoritative-only", action=flag, default=False, help="leave NOTE lines out")
    parser.add_argument(
        "--use-gold-support",
        action=flag,
        default=use_gold_support,
        help="train on the gold line instead of the latest line",
    )
    parser.add_argument("--hard-negatives", action=flag, default=False, help="rival UPDATEs first")


def _add_training_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--epochs", type=positive, default=30, help="passes over the examples (default 30)")
    parser.add_argument("--lr", type=above_zero, default=0.1, help="learning rate (default 0.1)")
    parser.add_argument(
        "--note-penalty", type=finite, default=0.0, help="if above 0, NOTEs are never training targets"
    )


def _add_evaluation_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--note-rates", type=several(rate), default="0,0.12,0.3", help="comma-separated shares of NOTEs"
    )
    parser.add_argument("--orders", default=",".join(PUBLISHED_ORDERS), help="comma-separated orders")
    parser.add_argument("--episodes", type=positive, default=10, help="episodes to evaluate on")
    parser.add_argument(
        "--gate", action=argparse.BooleanOptionalAction, default=False, help="apply the authority filter"
    )
