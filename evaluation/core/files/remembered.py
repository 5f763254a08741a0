"""Cache the results of functions of a text, without keeping long texts in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from hashlib import blake2b
from typing import Concatenate, ParamSpec, TypeVar

#: Longer texts are keyed by a digest: 256 logs of a million tokens would take a gigabyte. Shorter ones are keys
#: themselves, as Python hashes a text object only once.
LONG = 200_000

Result = TypeVar("Result")
More = ParamSpec("More")
Reader = Callable[Concatenate[str, More], Result]


def remembered(texts: int) -> Callable[[Reader[More, Result]], Reader[More, Result]]:
    """Decorator that caches the results of the last `texts` calls, like `lru_cache`. Arguments must be hashable."""

    def decorate(read: Reader[More, Result]) -> Reader[More, Result]:
        known: OrderedDict[Hashable, Result] = OrderedDict()

        @wraps(read)
        def remembering(text: str, /, *args: More.args, **kwargs: More.kwargs) -> Result:
            key = (_name(text), args, tuple(sorted(kwargs.items())))
            if key in known:
                known.move_to_end(key)
                return known[key]
            result = known[key] = read(text, *args, **kwargs)
            if len(known) > texts:
                known.popitem(last=False)
            return result

        return remembering

    return decorate


def _name(text: str) -> Hashable:
    return text if len(text) <= LONG else blake2b(text.encode("utf-8", "surrogatepass")).digest()
