"""Measures an artifact against the true state: length, sections, and the lines of its ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from evaluation.goldevidence.artifacts.check import count_words
from evaluation.goldevidence.data.ledger import Entry, latest, parse_book

PARTS = ("live", "dead", "wrong")


@dataclass(frozen=True, slots=True)
class ArtifactStats:
    """Statistics of one artifact, compared with the log from which it was built.

    Each ledger line is either `live` (valid at the log's end: the latest SET or CLEAR of its tag), `dead` (another line
    of the log: superseded, or a NOTE) or `wrong` (differs from the log). `state` counts the valid lines of the log,
    `missing` the valid lines that the ledger lacks.
    """

    episode_id: str
    tokens: int  # words
    sections: int
    lines: int
    live: int
    dead: int
    wrong: int
    missing: int
    state: int

    def as_dict(self) -> dict[str, int | str]:
        return asdict(self)


def measured(episode: str, artifact: str, log: Sequence[Entry]) -> ArtifactStats:
    """Return the statistics of one artifact. `log` contains the UPDATE lines of its log, in order."""
    true_lines = {entry.uid: entry for entry in log}
    holding = {entry.uid for key in {each.key for each in log} if (entry := latest(list(log), key))}
    ledger = parse_book(artifact)
    right = [entry.uid for entry in ledger if true_lines.get(entry.uid) == entry]
    live = sum(uid in holding for uid in right)
    return ArtifactStats(
        episode_id=episode,
        tokens=count_words(artifact),
        sections=sum(line.startswith("## ") for line in artifact.splitlines()),
        lines=len(ledger),
        live=live,
        dead=len(right) - live,
        wrong=len(ledger) - len(right),
        missing=len(holding - set(right)),
        state=len(holding),
    )


def figures(stats: Sequence[ArtifactStats]) -> dict[str, float]:
    """Return metrics over all artifacts: mean lengths, and shares of the ledger lines if there are any."""
    if not stats:
        return {}
    count, lines, state = len(stats), sum(each.lines for each in stats), sum(each.state for each in stats)
    values: dict[str, float] = {
        "artifacts": count,
        "artifact_tokens": sum(each.tokens for each in stats) / count,
        "artifact_sections": sum(each.sections for each in stats) / count,
        "artifact_lines": lines / count,
    }
    if lines:
        values |= {
            f"artifact_{name}_share": sum(getattr(each, name) for each in stats) / lines for name in PARTS
        }
    if state:
        values["artifact_missing_share"] = sum(each.missing for each in stats) / state
    return values
