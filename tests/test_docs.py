"""Pages of the documentation begin by naming their readers."""

from __future__ import annotations

from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("page", sorted(path.name for path in DOCS.glob("*.md")))
def test_a_page_says_first_who_it_is_for(page: str) -> None:
    first = (DOCS / page).read_text().split("\n\n")[1]
    assert first.startswith("For ") or "for those who" in first
