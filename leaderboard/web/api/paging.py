"""Cursor paging by signed sort keys: stable while rows are added, and page 1,000 costs as much as page 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, TypeVar

from django.core import signing
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from ninja import Schema
from pydantic import Field

from leaderboard.web.api.problems import ProblemError

SALT = "leaderboard.api.cursor"
T = TypeVar("T")


class Paging(Schema):
    """The part of a list that a request asks for."""

    limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of items per page.")] = 25
    cursor: Annotated[str, Field(max_length=500, description="Cursor in `next` of the previous page.")] = ""


class Page(Schema, Generic[T]):
    """Part of a list; `next` is the address of the following part, null at the end."""

    items: list[T] = Field(description="The items of this page.")
    next: str | None = Field(None, description="Address of the next page; null at the end.")


def by_key(
    request: HttpRequest,
    rows: QuerySet[Any],
    order: Sequence[str],
    paging: Paging,
    show: Callable[[Any], Any],
) -> dict[str, object]:
    """A page of rows; the last field of `order` must be unique. Raises ProblemError 422 for a bad cursor."""
    if paging.cursor:
        rows = rows.filter(_after(order, _read(request, paging.cursor, len(order))))
    fetched = list(rows.order_by(*order)[: paging.limit + 1])
    shown, more = fetched[: paging.limit], len(fetched) > paging.limit
    last = [_text(getattr(shown[-1], name.removeprefix("-"))) for name in order] if more else []
    return {"items": [show(row) for row in shown], "next": _next(request, last)}


def by_position(
    request: HttpRequest, paging: Paging, read: Callable[[int, int], tuple[list[Any], int | None]]
) -> dict[str, object]:
    """A page of an unchanging list. Raises ProblemError 422 for a bad cursor.

    `read` is called with (start, limit), positions from 0; it returns items and the next start (None: the end).
    """
    start = int(_read(request, paging.cursor, 1)[0]) if paging.cursor else 0
    rows, following = read(start, paging.limit)
    return {"items": rows, "next": _next(request, [] if following is None else [following])}


def _after(order: Sequence[str], key: Sequence[Any]) -> Q:
    """Filter for rows after `key` in the order: (a > x) or (a = x and b > y) …, with < for descending fields."""
    condition, equal = Q(pk__in=[]), Q()
    for name, value in zip(order, key, strict=True):
        field, sign = name.removeprefix("-"), "lt" if name.startswith("-") else "gt"
        condition |= equal & Q(**{f"{field}__{sign}": value})
        equal &= Q(**{field: value})
    return condition


def _text(value: Any) -> Any:
    return (
        value if isinstance(value, int) else value.isoformat() if hasattr(value, "isoformat") else str(value)
    )


def _next(request: HttpRequest, key: list[Any]) -> str | None:
    if not key:
        return None
    query = request.GET.copy()
    query["cursor"] = signing.dumps([request.path, *key], salt=SALT)
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")


def _read(request: HttpRequest, cursor: str, length: int) -> list[Any]:
    try:
        path, *key = signing.loads(cursor, salt=SALT)
    except signing.BadSignature:
        path, key = "", []
    if path != request.path or len(key) != length:
        raise ProblemError(
            422, "bad-cursor", "The cursor does not belong to this list. Use the address in `next` as it is."
        )
    return list(key)
