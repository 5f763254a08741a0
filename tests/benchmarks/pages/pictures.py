"""Take the README's pictures of a demo, each light and dark, into docs/img.

python -m tests.benchmarks.pages.pictures [--demo FOLDER --site URL]
"""

from __future__ import annotations

import io
from typing import Any, NamedTuple

from PIL import Image

from tests.benchmarks.pages.__main__ import demo, options
from tests.benchmarks.pages.measuring import browser
from tests.live import ROOT, LiveSite, sign_in
from tests.site_pages import Kind, kinds, prepare

FOLDER = ROOT / "docs/img"
WIDTH = 1280
SHADES = 256  # of a picture's palette, those that differ most: few marks of a colour keep it
MOST_BYTES = 150_000


class Picture(NamedTuple):
    """A picture of a page.

    Attributes:
        name: Base name of its files.
        kind: Kind of the page.
        height: In pixels, from the top of the page.
        query: Query added to the address of the kind.
    """

    name: str
    kind: str
    height: int
    query: str = ""


PICTURES = [
    Picture("front", "Front page", 960),
    Picture("board", "Board, ladder", 860),
    Picture("result", "Submission, ladder", 1120),
    Picture("row", "Row, ladder", 900),
    Picture("bench", "Bench", 900),
]


def main(site: LiveSite, chromium: Any) -> None:
    """Take every picture in both themes."""
    prepare(site.shell)
    found = {kind.name: kind for kind in kinds(site.shell, [picture.kind for picture in PICTURES])}
    page = chromium.new_page(viewport={"width": WIDTH, "height": 900})
    sign_in(page, site, "admin", (site.folder / "demo-password").read_text())
    member = page.context.cookies()
    for theme in ("light", "dark"):
        for picture in PICTURES:
            taken = take(chromium, site.url, picture, found[picture.kind], theme, member)
            path = FOLDER / f"{picture.name}-{theme}.png"
            path.write_bytes(taken)
            assert len(taken) < MOST_BYTES, f"{path.name} has {len(taken)} bytes"
            print(path.relative_to(ROOT), f"{len(taken):,} bytes", flush=True)


def take(chromium: Any, url: str, picture: Picture, kind: Kind, theme: str, member: list[Any]) -> bytes:
    """A picture as a PNG with few colours."""
    context = chromium.new_context(viewport={"width": WIDTH, "height": picture.height}, color_scheme=theme)
    if kind.staff:
        context.add_cookies(member)
    page = context.new_page()
    page.goto(url + kind.path + picture.query)
    page.wait_for_load_state("networkidle")
    page.evaluate("scrollTo(0, 0)")
    shot = Image.open(io.BytesIO(page.screenshot()))
    context.close()
    packed = io.BytesIO()
    shot.convert("RGB").quantize(SHADES, Image.Quantize.MAXCOVERAGE).save(packed, "PNG", optimize=True)
    return packed.getvalue()


if __name__ == "__main__":
    given = options("python -m tests.benchmarks.pages.pictures").parse_args()
    with demo(given) as running, browser() as launched:
        main(running, launched)
