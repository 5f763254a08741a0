"""What the page of a model file says of its benches: that page knows runs, and benches lie above them."""

from __future__ import annotations

from typing import Any

from django import template

from leaderboard.grids.models import Bench
from leaderboard.runs.models import ModelFile

register = template.Library()

MOST = 20  # as many as that page lists runs


@register.simple_tag
def benches_of_model(model: ModelFile) -> list[Any]:
    """The newest benches of a model file.

    Args:
        model: The registered file.
    """
    return list(Bench.objects.of_model(model)[:MOST])
