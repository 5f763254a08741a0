"""The place of the reference data: `shared/reference` beside the checkout, or `REFERENCE_DIR`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("REFERENCE_DIR", Path(__file__).resolve().parents[2] / "shared" / "reference"))


def reference_path(relative: str = "") -> Path:
    """The path of a reference file. Skips the test if the reference data is absent."""
    path = ROOT / relative
    if not path.exists():
        pytest.skip(
            f"the reference data is not beside this checkout ({relative or 'shared/reference'} is absent)"
        )
    return path
