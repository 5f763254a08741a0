"""Train the model, and print its figures on scenes that it was not trained on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from evaluation.statebench.detection.detector import Detector, RuleDetector
from evaluation.statebench.detection.learned.listener import FreeTalkDetector
from evaluation.statebench.detection.learned.model import Thresholds, save
from tests.evaluation.statebench.detection.blind import Figures, measure, total
from tests.evaluation.statebench.detection.training import RULED, Scene, scenes
from tests.evaluation.statebench.detection.training.examples import (
    Example,
    fold_of,
    free_talk,
    templated_talk,
)
from tests.evaluation.statebench.detection.training.fitting import fitted, trained


def _show(name: str, turns: Figures, changes: Figures) -> None:
    for what, found in (("turns", turns), ("changes", changes)):
        print(
            f"{name:28}{what:9}precision {found.precision:.3f}  recall {found.recall:.3f}  F1 {found.f1:.3f}"
            f"  ({found.right} right, {found.wrong} wrong, {found.missed} missed)",
            flush=True,
        )


def _by_set(
    names: Sequence[str], everything: Sequence[tuple[str, Scene]], templated: Sequence[Example]
) -> None:
    """Print the figures of each set, by a model trained on all others."""
    for name in names:
        held = [scene for of, scene in everything if of == name]
        model, _ = fitted(list(free_talk(one for one in everything if one[0] != name)), templated)
        _show(name, *measure(held, FreeTalkDetector(model)))
        _show(f"{name}, rules alone", *measure(held, RuleDetector()))


def _by_fold(
    everything: Sequence[tuple[str, Scene]],
    talk: Sequence[Example],
    templated: Sequence[Example],
    thresholds: Thresholds,
) -> None:
    """Print the figures of all scenes, each fold by a model trained on the others, with the thresholds of all."""
    sums: dict[str, list[tuple[Figures, Figures]]] = {}
    for fold in sorted({example.fold for example in talk}):
        model = trained([example for example in talk if example.fold != fold], templated)
        detector: Detector = FreeTalkDetector(replace(model, thresholds=thresholds))
        for name, of in groupby((one for one in everything if fold_of(*one) == fold), key=lambda one: one[0]):
            sums.setdefault(name, []).append(measure([scene for _, scene in of], detector))
    for name, parts in sums.items():
        _show(name, total(turns for turns, _ in parts), total(changes for _, changes in parts))
    unruled = [part for name, parts in sums.items() if name not in RULED for part in parts]
    _show(
        "all that no rule was made for",
        total(turns for turns, _ in unruled),
        total(changes for _, changes in unruled),
    )


everything = list(scenes())
templated = templated_talk()
if names := sys.argv[1:]:
    _by_set(names, everything, templated)
else:
    talk = list(free_talk(everything))
    model, judged = fitted(talk, templated)
    print(f"{len(everything)} scenes, {len(talk)} turns, {len(templated)} templated; {model.thresholds}")
    _by_fold(everything, talk, templated, model.thresholds)
    save(model)
