"""Columns of a board about artifacts: see `measure.figures`."""

from __future__ import annotations

from evaluation.core.suite import Column

SECTION = "Artifacts"


def _column(name: str, label: str, text: str, *, neutral: bool = True, whole: bool = False) -> Column:
    is_share = name.endswith("_share")
    return Column(
        f"artifact_{name}" if name else "artifacts",
        label,
        text,
        better="lower" if is_share and not neutral else "higher",
        format="ratio" if is_share else "count",
        section=SECTION,
        neutral=neutral,
        whole=whole,
    )


COLUMNS: tuple[Column, ...] = (
    _column("", "Artifacts", "Books that the system built, one per episode.", whole=True),
    _column("tokens", "Artifact length", "Words of an artifact, on average."),
    _column("sections", "Artifact sections", "Sections of an artifact, on average."),
    _column("lines", "Ledger lines", "Lines of an artifact's ledger, on average."),
    _column("live_share", "Live lines", "Share of ledger lines valid at the end of the log."),
    _column("dead_share", "Dead lines", "Share of ledger lines that the log supersedes, or that are NOTEs."),
    _column("wrong_share", "Wrong lines", "Share of ledger lines that differ from the log.", neutral=False),
    _column(
        "missing_share",
        "Missing lines",
        "Share of the lines valid at the end of the log that the ledger lacks.",
        neutral=False,
    ),
)
