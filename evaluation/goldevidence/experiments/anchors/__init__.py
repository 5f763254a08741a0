"""Published figures of the reference implementation, compared with ours, and comparable benchmarks.

`published.json` holds the published figures with their settings, `external.json` other benchmarks with sources,
`measured.json` our measurements. Only `goldevidencebench reference --write` (`make anchors`) writes `measured.json`.
"""

from evaluation.goldevidence.experiments.anchors.comparing import (
    Cell,
    ComparedRow,
    ComparedTable,
    Status,
    compare,
    counted,
)
from evaluation.goldevidence.experiments.anchors.records import external, published
from evaluation.goldevidence.experiments.anchors.storing import (
    Measured,
    fingerprints,
    is_current,
    measure,
    stored,
    write,
)

__all__ = [
    "Cell",
    "ComparedRow",
    "ComparedTable",
    "Measured",
    "Status",
    "compare",
    "counted",
    "external",
    "fingerprints",
    "is_current",
    "measure",
    "published",
    "stored",
    "write",
]
