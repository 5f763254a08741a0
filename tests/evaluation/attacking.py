"""Attacks on versions that are made for a test: no site, no files."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from evaluation.attacks.report import AttackReport
from evaluation.attacks.running import Attacked, attack, sealed_lines
from evaluation.core import jsonl
from evaluation.core.suite import Suite


def attacked(suite: Suite, settings: dict[str, Any]) -> AttackReport:
    """What attackers reach in a sealed version, see `found`."""
    return found(suite, settings).report


def found(suite: Suite, settings: dict[str, Any]) -> Attacked:
    """What is kept of attacks on a sealed version: its seeds are those given, its key is one of these settings.

    A drawn key would draw the lots of guesses, and a version of a dozen rows has luck now and then.
    """
    key = sha256(jsonl.dumps(dict(settings))).hexdigest()
    version = suite.version(settings | {"key": key})
    items = list(version.generate())
    lines, _ = sealed_lines(suite, items, version.shared_texts)
    kept = attack(version, lines, lambda: (item.gold for item in items))
    assert kept is not None
    return kept


def value_of(report: AttackReport, attacker: str, metric: str) -> float:
    """What one attacker reaches in one metric."""
    [outcome] = [each for each in report["attackers"] if each["name"] == attacker]
    [score] = [score for score in outcome["scores"] if score["metric"] == metric]
    return score["value"]
