"""Attacks on versions made for a test, without site or files."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from evaluation.attacks.report import AttackReport
from evaluation.attacks.running import Attacked, attack, sealed_lines
from evaluation.core import jsonl
from evaluation.core.suite import Suite


def attacked(suite: Suite, settings: dict[str, Any]) -> AttackReport:
    """The report of attacks on a sealed version; see `found`."""
    return found(suite, settings).report


def found(suite: Suite, settings: dict[str, Any]) -> Attacked:
    """The stored result of attacks on a sealed version, with the seeds of the settings and a key made from them.

    A random key would make the guesses random, and a version of a dozen rows is guessed by luck now and then.
    """
    key = sha256(jsonl.dumps(dict(settings))).hexdigest()
    version = suite.version(settings | {"key": key})
    items = list(version.generate())
    lines, _ = sealed_lines(suite, items, version.shared_texts)
    kept = attack(version, lines, lambda: (item.gold for item in items))
    assert kept is not None
    return kept


def value_of(report: AttackReport, attacker: str, metric: str) -> float:
    """An attacker's value of one metric."""
    [outcome] = [each for each in report["attackers"] if each["name"] == attacker]
    [score] = [score for score in outcome["scores"] if score["metric"] == metric]
    return score["value"]
