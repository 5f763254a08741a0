"""Rules for account names: a name must not look like a reserved name or another account's name.

Pure functions without the database; `accounts.services` stores which account has which name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from django.conf import settings
from django.urls import URLPattern, URLResolver, get_resolver

from evaluation.core.suite import SUITES
from leaderboard.web.validators import unseen_problem

#: The account that owns the site's own runs. Other accounts, superusers included, cannot have this name.
SITE = "site"
#: Reserved names, besides those that `reserved` adds at run time. docs/accounts.md has the same list.
RESERVED = frozenset(
    """
    about abuse account accounts admin administrator administrators admins anonymous api baseline baselines
    benchmark contact deleted everyone ftp goldevidencebench grader help hostmaster info leaderboard legal
    login logout mail maintainer maintainers me media moderator moderators nobody none null official oracle owner
    postmaster privacy reference register root security self service settings signin signout signup site staff
    static status superuser support system team terms undefined verified webmaster worker www
    """.split()
)
RULE = "Use the letters a to z, digits, “-”, “_” and “.” only; start and end with a letter or a digit."
_ALLOWED = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
#: Look-alikes of Latin letters. New names cannot have them, old names may.
_LOOKS_LATIN = str.maketrans(
    "абвгԁеһіїјкӏмнопԛрѕстуѵԝхүѡαβγεηικνορστυχωϲϳաօսոհցզքıɑɡɩʟɪʏʀɴꜱᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢłøđħŧ",
    "a6brdehiijklmhonqpsctyvwxywabyenikvopotuxwcjwounhggpiagiliyrnsacdejkmoptuvwzlodht",
)
#: Greek capitals resemble other Latin letters than their small letters do.
_CAPITALS = str.maketrans("ΗΝΥΖΜ", "HNYZM")
#: Characters drawn alike in many fonts; `skeleton` folds "rn" and "vv" too.
_DRAWN_ALIKE = str.maketrans("015i|", "olsll")
#: The mark of the site's own runs on pages ("◆ verified") and its look-alikes.
_VERIFIED = re.compile("[◆◇♦⬥⯁❖🔶🔷🔸🔹✓✔☑✅🗸]|\\bverified\\b", re.IGNORECASE)
#: Look-alikes of the slash.
_SLASHES = str.maketrans("∕⁄⧸╱", "////")
SYSTEM_LENGTH = 80  # characters of a system's name, which is stored composed
_LENGTH = 150  # characters, as in Django's own field of usernames


def skeleton(name: str) -> str:
    """Normalized look of a name: names with the same skeleton can be mistaken for each other.

    Folds case, accents, full width, look-alikes of other scripts, 0/o, 1/l/i, 5/s, rn/m and vv/w, and drops
    separators. Follows the idea of Unicode TR39 for names read as Latin.
    """
    text = unicodedata.normalize("NFKD", name).translate(_CAPITALS).casefold()
    text = unicodedata.normalize("NFKD", text)
    text = text.translate(_LOOKS_LATIN).translate(_DRAWN_ALIKE)
    kept = (letter for letter in text if unicodedata.category(letter)[0] in "LMN")
    text = "".join(letter for letter in kept if not unicodedata.combining(letter))
    return text.replace("rn", "m").replace("vv", "w")[:_LENGTH]


def reserved() -> frozenset[str]:
    """All reserved names: RESERVED, the suites, the site's title, and the first segment of each URL."""
    return RESERVED | frozenset(SUITES) | {settings.SITE_NAME} | _first_segments()


def is_reserved(name: str) -> bool:
    """True if the name is reserved or looks like a reserved name."""
    return skeleton(name) in _reserved_skeletons(settings.SITE_NAME)


def problem(name: str, *, trusted: bool = False) -> str:
    """Why the name is refused, as a sentence that says what to do; empty if it is allowed.

    `trusted`: The account is staff, which may be called `admin` but not `site`.
    """
    if not _ALLOWED.fullmatch(name):
        foreign = next((letter for letter in name if not letter.isascii()), "")
        return f"{RULE} “{foreign}” (U+{ord(foreign):04X}) is not allowed." if foreign else RULE
    if is_reserved(name) and not (trusted and skeleton(name) != skeleton(SITE)):
        return f"“{name}” is reserved for the site itself, or looks like a name that is. Choose another one."
    return ""


def system_problem(name: str) -> str:
    """Why the name of a system is refused, as a sentence that says what to do; empty if it is allowed."""
    if text := unseen_problem(name):
        return text
    if len(unicodedata.normalize("NFC", name)) > SYSTEM_LENGTH:
        return f"Use at most {SYSTEM_LENGTH} characters."
    name = unicodedata.normalize("NFKC", name).translate(_SLASHES)
    if match := _VERIFIED.search(name):
        return f"Leave “{match[0]}” out: this site uses it for the results of its own runs."
    owner, slash, _ = name.partition("/")
    if slash and is_reserved(owner):
        return (
            f"A name that starts with “{owner}/” looks like a system of this site. Leave that part out; "
            "pages show the owner anyway."
        )
    return ""


@cache
def _reserved_skeletons(site_name: str) -> frozenset[str]:
    return frozenset(skeleton(name) for name in reserved())


@cache
def _first_segments() -> frozenset[str]:
    static = [address.strip("/") for address in (settings.STATIC_URL, settings.MEDIA_URL)]
    words = (_word(route) for route in [*_routes(get_resolver().url_patterns), *static])
    return frozenset(word for word in words if word)


def _routes(patterns: Sequence[URLPattern | URLResolver]) -> list[str]:
    routes: list[str] = []
    for each in patterns:
        route = str(each.pattern)
        if isinstance(each, URLResolver) and not route:
            routes += _routes(each.url_patterns)
        else:
            routes.append(route)
    return routes


def _word(route: str) -> str:
    """First word of a route: `feed` of `feed.atom`, empty for `<slug:version>/`."""
    match = re.match(r"[A-Za-z0-9_-]+", route)
    return match[0] if match else ""
