"""Every kind of page of the demo under axe, in Chromium: at 1280 and 375 pixels, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from tests.live import LiveDemo, sign_in
from tests.site_pages import Kind, kinds, prepare

pytestmark = [pytest.mark.browser, pytest.mark.axe, pytest.mark.worker, pytest.mark.xdist_group("demo")]
#: What a violation breaks: WCAG 2.2 on levels A and AA, and what axe holds to be good practice.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
#: What dark changes on a page that was checked in light: colours.
OF_COLOURS = ["color-contrast"]
CHECK = """async ([values, type]) => {
  const {violations} = await axe.run(document, {runOnly: {type, values}, resultTypes: ["violations"]});
  return violations.flatMap(({id, nodes}) => nodes.map(node => `${id} at ${node.target}: ${node.failureSummary}`));
}"""
#: Width -> the theme in which all of a page is checked, and that in which its colours alone are.
THEMES = {1280: ("light", "dark"), 375: ("dark", "light")}


def axe() -> str:
    """The script, as its package has it. It is handed over by the debugger, which the page's policy does not bind."""
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def looked_at(demo: LiveDemo) -> list[Kind]:
    prepare(demo.shell)
    return kinds(demo.shell)


@pytest.fixture(scope="module")
def visitors(demo: LiveDemo, chromium: Any) -> Iterator[dict[bool, Any]]:
    """Whether staff -> a page of a browser window: one who is not signed in, and one who is."""
    pages = {staff: chromium.new_context().new_page() for staff in (False, True)}
    sign_in(pages[True], demo, "admin", Path(demo.folder, "demo-password").read_text())
    yield pages
    for page in pages.values():
        page.context.close()


def violations(page: Any, width: int) -> list[str]:
    """What axe finds on the page that is open: all in one theme, colours in the other."""
    found = []
    for theme, what in zip(THEMES[width], ([TAGS, "tag"], [OF_COLOURS, "rule"]), strict=True):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        found += [f"{theme}, {line}" for line in page.evaluate(CHECK, what)]
    return found


@pytest.mark.parametrize("width", list(THEMES))
def test_no_page_breaks_a_rule_of_axe(
    demo: LiveDemo, looked_at: list[Kind], visitors: dict[bool, Any], width: int
) -> None:
    script, found = axe(), []
    for kind in looked_at:
        page = visitors[kind.staff]
        page.set_viewport_size({"width": width, "height": 900})
        answer = page.goto(demo.url + kind.path)
        assert answer.status == (404 if kind.name == "Not found" else 200), kind
        page.evaluate(script)
        found += [f"{kind.name} ({kind.path}) at {width}: {line}" for line in violations(page, width)]
    assert not found, "\n".join(found)
    assert len(looked_at) >= 30
