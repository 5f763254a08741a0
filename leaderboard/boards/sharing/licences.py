"""Recognizes licences by their SPDX names."""

from __future__ import annotations

import re

#: A name of the SPDX list, as opposed to words of a source: "MIT", "CC-BY-4.0", "Apache-2.0".
_NAME = re.compile(r"(?:MIT|ISC|0BSD|Unlicense|[A-Za-z0-9]+(?:-[A-Za-z0-9.]+)*-\d+(?:\.\d+)*(?:-[A-Za-z]+)*)")


def spdx(licence: str) -> str:
    """The licence if it is an SPDX name, else empty."""
    return licence if _NAME.fullmatch(licence) else ""


def spdx_url(licence: str) -> str:
    """URL of a licence's text; empty unless the licence is an SPDX name."""
    return f"https://spdx.org/licenses/{licence}" if spdx(licence) else ""
