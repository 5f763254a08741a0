"""`goldevidencebench gym`: mine mistakes, export them, train a small learner and evaluate it; or all in a loop."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.core import jsonl
from evaluation.core.terminal.arguments import positive, rate
from evaluation.core.terminal.output import print_json
from evaluation.core.terminal.progress import tracked
from evaluation.core.terminal.wording import number_of

if TYPE_CHECKING:
    from evaluation.gym import Frozen
    from evaluation.gym.learners import Learner
    from evaluation.gym.learners.network import Network
    from evaluation.gym.loop.evaluating import Gain

HELP = "Train small learners on their mistakes: mine, export, train, evaluate, or all of it in a loop."
LEARNERS = ("selector", "gate", "retriever", "abstain")
ARMS = ("boundary", "uniform", "gold_last", "none", "shuffled")
FORMS = ("chat", "preferences", "reranker", "selector", "gate", "abstain")


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    loop = _action(
        actions,
        "loop",
        "Train a learner in rounds: mine tasks, export training data, train, evaluate, and raise the level.",
    )
    loop.add_argument(
        "--out", required=True, metavar="FOLDER", help="folder of the loop; an unfinished loop is continued"
    )
    loop.add_argument("--rounds", type=positive, default=8, help="maximum number of rounds (default 8)")
    loop.add_argument("--tasks", type=positive, default=150, help="tasks per round (default 150)")
    loop.add_argument(
        "--unseen", type=positive, default=400, help="unseen tasks to evaluate on (default 400)"
    )
    loop.add_argument(
        "--arm", choices=ARMS, default=ARMS[0], help="how training tasks are chosen (default: boundary)"
    )
    _add_seed(loop)
    _add_frozen(loop)

    mine = _action(actions, "mine", "Write tasks of a level, and the learner's answers to them.")
    mine.add_argument("--model", help="a trained model (default: an untrained one)")
    mine.add_argument("--level", type=rate, required=True, help="difficulty, from 0 to 1")
    mine.add_argument("--tasks", type=positive, default=150, help="number of tasks (default 150)")
    mine.add_argument("--out", required=True, help="where to write the tasks, as JSON lines")
    _add_seed(mine)

    export = _action(actions, "export", "Write mined tasks as training data, with a data card.")
    export.add_argument("--data", required=True, help="mined tasks")
    export.add_argument("--form", choices=FORMS, help="form of the data (default: the learner's form)")
    export.add_argument("--out", required=True, help="where to write the training data, as JSON lines")
    _add_frozen(export)

    train = _action(actions, "train", "Train a learner on exported training data (in the learner's form).")
    train.add_argument("--data", required=True, nargs="+", help="training data, one file or more")
    train.add_argument("--model", help="a model to train further")
    train.add_argument("--out", required=True, help="where to write the model, a JSON file")
    _add_seed(train)
    _add_frozen(train)

    evaluate = _action(
        actions, "evaluate", "Measure success on unseen tasks of held-out families and of training families."
    )
    evaluate.add_argument("--model", required=True, help="the model to evaluate")
    evaluate.add_argument("--before", help="a model to compare with (default: an untrained one)")
    evaluate.add_argument(
        "--tasks", type=positive, default=400, help="tasks of each of these groups (default 400)"
    )
    evaluate.add_argument("--out", help="write the results here, as JSON")
    _add_seed(evaluate)


def run(args: argparse.Namespace) -> int:
    from evaluation.gym.learners import get_learner

    {"loop": _loop, "mine": _mine, "export": _export, "train": _train, "evaluate": _evaluate}[args.action](
        args, get_learner(args.learner)
    )
    return 0


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=text, description=text)
    parser.add_argument("--learner", choices=LEARNERS, required=True, help="the learner")
    return parser


def _add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, help="random seed (default: a new one)")


def _add_frozen(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--frozen",
        nargs="*",
        default=[],
        metavar="ROWS",
        help="downloaded rows to keep out of training, besides those of the presets",
    )


def _seed(args: argparse.Namespace) -> int:
    from evaluation.gym import secret_seed

    return secret_seed() if args.seed is None else int(args.seed)


def _frozen(paths: Sequence[str]) -> Frozen:
    from evaluation.gym import Frozen
    from evaluation.gym.frozen import frozen_presets

    return frozen_presets("goldevidence") | Frozen.from_files(paths)


def _network(path: str | None, learner: Learner, seed: int) -> Network:
    from evaluation.gym.learners.network import load

    return load(path, learner.names, learner.name) if path else learner.start(seed)


def _loop(args: argparse.Namespace, learner: Learner) -> None:
    from evaluation.gym.loop.report import report_text
    from evaluation.gym.loop.running import Loop, settings_in

    settings = settings_in(
        args.out,
        learner=learner.name,
        seed=args.seed,
        arm=args.arm,
        rounds=args.rounds,
        tasks=args.tasks,
        unseen=args.unseen,
    )
    outcome = Loop(args.out, settings, _frozen(args.frozen)).run(lambda text: print(text, file=sys.stderr))
    text = report_text(outcome)
    Path(args.out, "report.txt").write_text(text, encoding="utf-8")
    print(text, end="")
    if args.json:
        print_json({"out": args.out, **outcome})


def _mine(args: argparse.Namespace, learner: Learner) -> None:
    from evaluation.gym.loop.mining import mine_at

    seed = _seed(args)
    mined = mine_at(learner, _network(args.model, learner, seed), args.level, seed, args.tasks)
    lines = (each.as_line() for each in tracked(mined, "Mining", args.tasks))
    count = jsonl.write(args.out, lines)
    print(f"{number_of(count, 'task')} written to {args.out}")


def _export(args: argparse.Namespace, learner: Learner) -> None:
    from evaluation.gym.loop.exports import card_path, export
    from evaluation.gym.loop.mining import read_mined

    mined = tracked(read_mined(args.data, learner.success), "Exporting")
    card = export(mined, args.form or learner.form, args.out, _frozen(args.frozen))
    print(f"{number_of(card['lines'], 'line')} written to {args.out}, the data card to {card_path(args.out)}")


def _train(args: argparse.Namespace, learner: Learner) -> None:
    from evaluation.gym.loop.exports import read_examples

    frozen, seed = _frozen(args.frozen), _seed(args)
    lines = [line for path in args.data for line in read_examples(path, frozen)]
    network = _network(args.model, learner, seed).trained(learner.examples(lines))
    network.save(args.out, {"learner": learner.name, "data": args.data})
    print(f"trained on {number_of(len(lines), 'line')}; written to {args.out}")


def _evaluate(args: argparse.Namespace, learner: Learner) -> None:
    from evaluation.gym.loop.evaluating import gain, successes, unseen
    from evaluation.gym.loop.report import gained

    seed = _seed(args)
    networks = [_network(path, learner, seed) for path in (args.before, args.model)]
    found: dict[str, Gain] = {}
    for name, held_out in (("held_out", True), ("unseen", False)):
        tasks = unseen(learner, seed, args.tasks, held_out=held_out)
        before, after = (successes(learner, network, tracked(tasks, name)) for network in networks)
        found[name] = gain(before, after, tasks)
        print(gained(name, found[name]))
    document = {"learner": learner.name, "seed": seed, **found}
    if args.out:
        with jsonl.fresh(args.out) as out:
            out.write(json.dumps(document).encode() + b"\n")
    if args.json:
        print_json(document)
