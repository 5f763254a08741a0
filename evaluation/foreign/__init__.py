"""Convert outputs of other tools to predictions: Inspect logs, lm-evaluation-harness samples, batches, tables."""

from evaluation.foreign.convert import Converted, convert, convert_for
from evaluation.foreign.reading import Foreign, Reply, open_foreign

__all__ = ["Converted", "Foreign", "Reply", "convert", "convert_for", "open_foreign"]
