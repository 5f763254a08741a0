"""How hard each profile of distractors is: `python -m tests.benchmarks.profiles [units]`.

Prints the table of docs/benchmarks.md. Programs that understand nothing (guesses and shortcuts, those that learn
taught on a public twin) answer episodes of each profile, from the book with four candidates and from the log; rules
choose among the candidates. A profile that gives its answers away by its form shows as a shortcut far above `standard`.
Careless readers of the log, judged by values alone, show which readers a profile's lines trap. Fails if the oracle
(`ledger`) is wrong anywhere.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.attacks.goldevidence.registry import ATTACKERS, MOST_MENTIONED, OF_OTHER_FORMS, attack_plan
from evaluation.attacks.plan import PublicLine
from evaluation.attacks.running import twin_examples
from evaluation.core.suite import Item
from evaluation.goldevidence.generator import queries
from evaluation.goldevidence.generator.distractors import PROFILES
from evaluation.goldevidence.presets import Settings
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.registry import get_system

UNITS = 100
SEED = 20_011
KNOWN = ATTACKERS | {"last_mention": OF_OTHER_FORMS["last_mention"], "most_mentioned": MOST_MENTIONED}
CHOSEN = (
    "random_line",
    "last_line",
    "position_reader",
    "id_reader",
    "name_reader",
    "last_mention",
    "most_mentioned",
)
RULES = ("latest_step", "prefer_update_latest")
_CLAIM = r"(?:^|\W){} = ([a-z]+-\d{{4}})"
#: Readers that take the last line of a form about a tag: the form, and from which share of the log on they read.
CARELESS = {
    "last claim about the tag": (_CLAIM, 0.0),
    "last line with SET": (r"SET {} = ([a-z]+-\d{{4}})", 0.0),
    "last quarter of the log": (r"\] UPDATE step=\d+ SET {} = ([a-z]+-\d{{4}})", 0.75),
}
GENERATOR = {"episodes": UNITS // 2, "steps": 120, "keys": 12, "queries": 4, "chapters": 6, "revision": 2}


def version(profile: str, protocol: str, units: int) -> Settings:
    """Settings with two modes, one of them with NOTEs in its ledger."""
    chosen: dict[str, Any] = {
        "generator": GENERATOR | {"episodes": max(1, units // 2)},
        "state_modes": ["kv", "kv_commentary"],
        "distractor_profiles": [profile],
        "seeds": [SEED],
        "protocol": protocol,
    }
    if protocol == "closed":
        chosen["conditions"] = [{"k": 4, "order": "shuffle", "exact": True, "notes": 1}]
    return Settings.from_json(chosen)


def public(items: Sequence[Item]) -> list[PublicLine]:
    """The public lines in the order of their ids, as in a sealed file."""
    rows = sorted((SUITE.public_row(row) for item in items for row in item.rows), key=lambda row: row["id"])
    return [PublicLine(row, number, len(str(row))) for number, row in enumerate(rows)]


def careless(lines: Sequence[PublicLine], form: str, since: float) -> Iterator[Any]:
    """Answers with the value of the last line of a form about the tag, without a citation."""
    for line in lines:
        row: Any = line.row
        text, asked = row["document"], queries.read(row["question"])
        said = re.findall(form.format(re.escape(row["meta"]["key"])), text[int(since * len(text)) :], re.M)
        value = said[-1] if said else None
        if value and asked is not None and asked.derived_op == "color":
            value = value.partition("-")[0]
        yield {"id": row["id"], "value": value, "support_ids": []}


def figures(profile: str, units: int) -> Iterator[tuple[str, float]]:
    """(program, score): the rate of exact answers from whole texts; for rules, of right selections among candidates."""
    for protocol in ("closed", "open"):
        chosen = version(profile, protocol, units)
        settings, items = chosen.as_json(), list(SUITE.version(chosen.as_json()).generate())
        lines = public(items)
        examples = list(twin_examples(SUITE, attack_plan(chosen).twin))
        for name in CHOSEN:
            answers = KNOWN[name].build(examples)
            predictions = [answer for line in lines for answer in answers(line)]
            report = SUITE.version(settings).grade((item.gold for item in items), predictions)
            yield f"{name} {protocol}", float(report.metrics["exact_acc"])
        for name, (form, since) in CARELESS.items() if protocol == "open" else ():
            report = SUITE.version(settings).grade(
                (item.gold for item in items), careless(lines, form, since)
            )
            yield f"value: {name}", float(report.metrics["value_acc"])
        for name in (*RULES, "ledger") if protocol == "closed" else ("ledger",):
            system: Any = get_system(name).build()
            predictions = [system.predict(line.row) for line in lines]
            metrics = SUITE.version(settings).grade((item.gold for item in items), predictions).metrics
            yield f"{name} {protocol}", float(metrics["exact_acc"])
            if protocol == "closed":
                yield f"{name} selection", float(metrics["selection_rate"])


def main(units: int) -> None:
    """Print the table, one line per program and one column per profile."""
    table = {profile: dict(figures(profile, units)) for profile in PROFILES}
    print(f"| program | {' | '.join(table)} |\n|---|{'---|' * len(table)}")
    for name in next(iter(table.values())):
        print(f"| {name} | {' | '.join(f'{column[name]:.3f}' for column in table.values())} |")
    wrong = [
        profile
        for profile, column in table.items()
        if min(column["ledger closed"], column["ledger open"]) < 1
    ]
    if wrong:
        sys.exit(f"the oracle is wrong under: {', '.join(wrong)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else UNITS)
