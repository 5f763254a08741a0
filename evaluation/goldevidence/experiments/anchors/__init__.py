"""Published figures of the reference beside ours, and the benchmarks that this one stands beside.

`published.json` holds the figures as they are published, with what was run; `external.json` the other benchmarks, with
their sources; `measured.json` what we measured. The last is written by `goldevidencebench reference --write` (`make
anchors`) and by nothing else.
"""

from evaluation.goldevidence.experiments.anchors.comparing import (
    Cell,
    ComparedRow,
    ComparedTable,
    Status,
    compare,
    counted,
)
from evaluation.goldevidence.experiments.anchors.records import (
    ExternalAnchor,
    PublishedTable,
    external,
    published,
)
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
    "ExternalAnchor",
    "Measured",
    "PublishedTable",
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
