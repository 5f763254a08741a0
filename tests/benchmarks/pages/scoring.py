"""A page's score for performance, computed as Lighthouse 10 computes it, without the Speed Index.

Each figure becomes a share between 0 and 1: the survival function of a log-normal distribution that is 0.9 at one point
and 0.5 at another. The score is the weighted mean of these. The Speed Index (a tenth of Lighthouse's weights) needs a
film of the page and is left out, and the other weights are scaled to make 1.

Sources: https://developer.chrome.com/docs/lighthouse/performance/performance-scoring (weights and method);
`defaultOptions` in `core/audits/metrics/*.js` (points of each curve for a phone and for a desktop computer) and
`getLogNormalScore` in `shared/statistics.js` of GoogleChrome/lighthouse.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

Device = Literal["phone", "desktop"]


class Figures(NamedTuple):
    """Measurements of a page while it loads.

    Attributes:
        fcp: First contentful paint, in milliseconds.
        lcp: Largest contentful paint, in milliseconds.
        tbt: Total blocking time: what tasks took beyond 50 ms each, in milliseconds.
        cls: Cumulative layout shift, without a unit.
    """

    fcp: float
    lcp: float
    tbt: float
    cls: float


WEIGHTS = Figures(fcp=10, lcp=25, tbt=30, cls=25)
#: Device -> for each figure where a page scores 0.9, and where it scores 0.5.
CURVES: dict[Device, dict[str, tuple[float, float]]] = {
    "phone": {"fcp": (1800, 3000), "lcp": (2500, 4000), "tbt": (200, 600), "cls": (0.1, 0.25)},
    "desktop": {"fcp": (934, 1600), "lcp": (1200, 2400), "tbt": (150, 350), "cls": (0.1, 0.25)},
}
INVERSE_ERFC_ONE_FIFTH = (
    0.9061938024368232  # where erfc is 2 × 0.1, so that the curve is 0.9 at its first point
)


def share(value: float, good: float, median: float) -> float:
    """The share of the distribution that lies above a value.

    Args:
        value: Measurement of a page; lower is better.
        good: Value at which the share is 0.9.
        median: Value at which the share is 0.5.

    Returns:
        Between 0 and 1; 1 if the value is 0.
    """
    if value <= 0:
        return 1.0
    return math.erfc(INVERSE_ERFC_ONE_FIFTH * math.log(value / median) / math.log(median / good)) / 2


def score(figures: Figures, device: Device) -> int:
    """The score of a page, from 0 to 100.

    Args:
        figures: Measurements of the page.
        device: Device whose curves are used.

    Returns:
        The weighted mean of the shares, rounded.
    """
    shares = [share(value, *CURVES[device][name]) for name, value in figures._asdict().items()]
    return round(100 * sum(map(math.prod, zip(shares, WEIGHTS, strict=True))) / sum(WEIGHTS))
