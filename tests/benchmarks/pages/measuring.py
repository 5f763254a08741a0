"""Open a page in Chromium as Lighthouse does, and record the browser's own measurements.

Paints and shifts are the page's own entries (`PerformanceObserver`). Tasks come from the browser's trace, by the
processor time of the page's main thread: other load on the machine delays paints, but does not lengthen tasks.
"""

from __future__ import annotations

import json
import shutil
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tests.benchmarks.pages.scoring import Device, Figures
from tests.conftest import CHROMIUM

#: Before any script of the page: what is painted, moves or blocks is noted, and when that last happened.
WATCH = """
window.seen = {fcp: 0, lcp: 0, cls: 0, last: 0};
const watch = (type, each) => new PerformanceObserver(list => list.getEntries().forEach(entry => {
  window.seen.last = performance.now();
  each(entry);
})).observe({type, buffered: true});
watch("paint", entry => { if (entry.name === "first-contentful-paint") window.seen.fcp = entry.startTime; });
watch("largest-contentful-paint", entry => { window.seen.lcp = entry.startTime; });
watch("layout-shift", entry => { if (!entry.hadRecentInput) window.seen.cls += entry.value; });
watch("longtask", () => {});
watch("resource", () => {});
"""
READ = """() => ({...window.seen, elements: document.querySelectorAll("*").length,
  quiet: document.readyState === "complete" ? performance.now() - window.seen.last : 0,
  wide: document.documentElement.scrollWidth > innerWidth})"""
QUIET_MS = 2000  # nothing painted, moved, loaded or blocked for so long: the page is ready
MOST_SECONDS = 40
TRACED = ["disabled-by-default-devtools.timeline", "loading"]  # tasks of threads, and the first paint
LONG_MS = 50  # what a task takes beyond this is blocking time
#: What Lighthouse puts on a phone's wire (`mobileSlow4G`, applied): kilobits a second less a tenth, 3.75 round trips.
SLOW_4G = {"latency": 562.5, "downloadThroughput": 1474.56 * 1024 / 8, "uploadThroughput": 675 * 1024 / 8}


class Screen(NamedTuple):
    """A screen, with processor and network.

    Attributes:
        device: Device whose scoring curves apply.
        width: In pixels.
        height: In pixels.
        slowdown: Factor by which the processor is slowed down.
        network: Arguments of `Network.emulateNetworkConditions`; None: as fast as this machine.
    """

    device: Device
    width: int
    height: int
    slowdown: int
    network: dict[str, float] | None


SCREENS = [Screen("desktop", 1280, 900, 1, None), Screen("phone", 375, 812, 4, SLOW_4G)]


class Opened(NamedTuple):
    """Measurements of opening a page once.

    Attributes:
        figures: The figures that its score is made of.
        elements: Number of elements in the document.
        kilobytes: Kilobytes transferred, compressed, with headers.
        requests: Number of requests, the page itself included.
        longest: Milliseconds of processor time of the main thread's longest task.
    """

    figures: Figures
    elements: float
    kilobytes: float
    requests: float
    longest: float


@contextmanager
def browser() -> Iterator[Any]:
    """The machine's own Chromium, headless."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM)
        yield launched
        launched.close()


def opened(chromium: Any, url: str, screen: Screen, cookies: list[Any]) -> Opened:
    """Open a page once, with nothing cached.

    Args:
        chromium: The browser.
        url: Address of the page.
        screen: Screen to open it on.
        cookies: Cookies of a signed-in account; empty: a visitor.

    Returns:
        The browser's measurements.
    """
    context = chromium.new_context(viewport={"width": screen.width, "height": screen.height})
    context.add_cookies(cookies)
    page = context.new_page()
    page.add_init_script(WATCH)
    protocol = context.new_cdp_session(page)
    protocol.send("Network.enable")
    protocol.send("Emulation.setCPUThrottlingRate", {"rate": screen.slowdown})
    if screen.network:
        protocol.send("Network.emulateNetworkConditions", {"offline": False, **screen.network})
    requests: list[str] = []
    sizes: list[float] = []
    protocol.on("Network.requestWillBeSent", lambda event: requests.append(event["requestId"]))
    protocol.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    chromium.start_tracing(page=page, categories=TRACED)
    page.goto(url)
    seen = _when_quiet(page)
    blocked, longest = tasks(json.loads(chromium.stop_tracing())["traceEvents"])
    context.close()
    figures = Figures(seen["fcp"], max(seen["lcp"], seen["fcp"]), blocked, seen["cls"])
    return Opened(figures, seen["elements"], sum(sizes) / 1000, len(set(requests)), longest)


def tasks(events: list[dict[str, Any]]) -> tuple[float, float]:
    """How long the main thread of the painted page was busy.

    Args:
        events: Trace events, with times in microseconds.

    Returns:
        Milliseconds that tasks took beyond 50 ms each after the first paint, and those of the longest task.
    """
    painted = next((each for each in events if each["name"] == "firstContentfulPaint"), None)
    if painted is None:
        return 0.0, 0.0
    thread = painted["pid"], painted["tid"]
    took = [
        (each["ts"], each["tdur"] / 1000)
        for each in events
        if each["name"] == "RunTask" and (each["pid"], each["tid"]) == thread and "tdur" in each
    ]
    blocked = sum(max(0, spent - LONG_MS) for begun, spent in took if begun > painted["ts"])
    return blocked, max((spent for _, spent in took), default=0.0)


def _when_quiet(page: Any) -> dict[str, Any]:
    """Read the page's measurements once it is quiet."""
    until = time.monotonic() + MOST_SECONDS
    while True:
        seen: dict[str, Any] = page.evaluate(READ)
        if seen["quiet"] > QUIET_MS or time.monotonic() > until:
            return seen
        time.sleep(0.2)


def middle(times: list[Opened]) -> Opened:
    """The median of each figure over several openings."""
    figures = Figures(*map(statistics.median, zip(*(each.figures for each in times), strict=True)))
    rest = map(statistics.median, zip(*(each[1:] for each in times), strict=True))
    return Opened(figures, *rest)
