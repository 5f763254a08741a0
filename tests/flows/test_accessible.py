"""Every kind of page of the demo under axe, in Chromium: all rules at 1280 pixels, those of the layout at 375."""

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
#: What a narrow window changes: sizes, colours of cards, parts that scroll.
OF_LAYOUT = ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"]
CHECK = """async ([values, type]) => {
  const {violations} = await axe.run(document, {runOnly: {type, values}, resultTypes: ["violations"]});
  return violations.flatMap(({id, nodes}) => nodes.map(node => `${id} at ${node.target}: ${node.failureSummary}`));
}"""
#: Width -> theme -> what is checked.
CHECKED = {
    1280: {"light": (TAGS, "tag"), "dark": (OF_COLOURS, "rule")},
    375: {"dark": (OF_LAYOUT, "rule")},
}


def axe() -> str:
    """The script of axe, from its package. The debugger injects it, which the page's policy does not restrict."""
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def looked_at(demo: LiveDemo) -> list[Kind]:
    prepare(demo.shell)
    return kinds(demo.shell)


@pytest.fixture(scope="module")
def visitors(demo: LiveDemo, chromium: Any) -> Iterator[dict[bool, Any]]:
    """Whether staff -> a page in a browser window: one without sign-in, and one with."""
    pages = {staff: chromium.new_context().new_page() for staff in (False, True)}
    sign_in(pages[True], demo, "admin", Path(demo.folder, "demo-password").read_text())
    yield pages
    for page in pages.values():
        page.context.close()


def violations(page: Any, width: int) -> list[str]:
    """The findings of axe on the open page, theme by theme."""
    found = []
    for theme, what in CHECKED[width].items():
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        found += [f"{theme}, {line}" for line in page.evaluate(CHECK, list(what))]
    return found


@pytest.mark.parametrize("width", list(CHECKED))
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
