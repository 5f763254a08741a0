"""Errors as problem+json (RFC 9457), the same shape whatever went wrong.

`type` is a URN that scripts can compare, `title` says the kind of error, `detail` what happened and what to
do. A rejected file returns `problems`, line by line, in the words of the engine's intake.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import orjson
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from ninja import NinjaAPI, Schema
from ninja.errors import HttpError, Throttled, ValidationError
from pydantic import ConfigDict, Field

MEDIA_TYPE = "application/problem+json"
Translation = Callable[[Any], "ProblemError"]
URN = "urn:goldevidencebench:problem:"


class ProblemError(Exception):
    """Any error of the API. `code` names it for scripts; `extra` members go into the answer as they are."""

    def __init__(
        self, status: int, code: str, detail: str, *, headers: dict[str, str] | None = None, **extra: Any
    ) -> None:
        self.status, self.code, self.detail = status, code, detail
        self.headers, self.extra = headers or {}, extra
        super().__init__(detail)


class LineProblem(Schema):
    """Why one line of a predictions file is refused."""

    code: str
    message: str
    line: int | None = None
    column: int | None = None
    id: str | None = None


class GroupOfProblems(Schema):
    """Problems of one kind: how many of those told, in which lines, and what the first says."""

    code: str
    message: str
    count: int
    lines: str


class Guess(Schema):
    """What a rejected file seems to be, and what to do."""

    code: str
    message: str


class ParameterProblem(Schema):
    """Why one parameter is refused."""

    where: str
    name: str
    message: str


class Problem(Schema):
    """An error (RFC 9457)."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": f"{URN}rejected-file",
                    "title": "Unprocessable Entity",
                    "status": 422,
                    "detail": "The file has 1 problem. Nothing was stored.",
                    "problems": [
                        {
                            "code": "unknown_id",
                            "message": "The version has no row 'r00000000000'.",
                            "line": 3,
                            "id": "r00000000000",
                        }
                    ],
                    "counts": {"unknown_id": 1},
                    "stopped": False,
                }
            ]
        }
    )

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    problems: list[LineProblem] | None = Field(
        None, description="The first problems of a rejected file, by line."
    )
    counts: dict[str, int] | None = Field(
        None,
        description="How many rows of a rejected file are affected, by code; where `stopped`, at least.",
    )
    stopped: bool | None = Field(
        None, description="Whether the check ended at the last problem it reports; there may be more."
    )
    groups: list[GroupOfProblems] | None = Field(
        None, description="The same problems, those of one kind together."
    )
    guess: Guess | None = Field(
        None, description="What a rejected file seems to be: CSV, another benchmark's lines; null: no idea."
    )
    parameters: list[ParameterProblem] | None = Field(
        None, description="The parameters that do not validate."
    )
    retry_after: int | None = Field(None, description="Seconds to wait, as in the header Retry-After.")


def answer(error: ProblemError) -> HttpResponse:
    """The response for an error."""
    body = {
        "type": URN + error.code if error.code else "about:blank",
        "title": title(error.status),
        "status": error.status,
        "detail": error.detail,
        **error.extra,
    }
    return HttpResponse(
        orjson.dumps(body), status=error.status, content_type=MEDIA_TYPE, headers=error.headers
    )


def title(status: int) -> str:
    """The standard phrase of a status code."""
    return HTTPStatus(status).phrase


def translates(kind: type[Exception]) -> Callable[[Translation], Translation]:
    """Let a function say what the API answers where a route raises an exception of this kind."""

    def keep(translate: Translation) -> Translation:
        TRANSLATIONS[kind] = translate
        return translate

    return keep


def register(api: NinjaAPI) -> None:
    """Answer every kind of exception that a route may raise. To be called once all packages have registered theirs."""
    api.add_exception_handler(ProblemError, _handler(lambda error: error))
    for kind, translate in TRANSLATIONS.items():
        api.add_exception_handler(kind, _handler(translate))


def _handler(translate: Any) -> Any:
    def handle(request: HttpRequest, error: Any) -> HttpResponse:
        return answer(translate(error))

    return handle


def too_many(detail: str, *, wait: int, code: str = "too-many-requests") -> ProblemError:
    """The error 429, which says when to come back.

    Args:
        detail: What happened and what to do, for people.
        wait: Seconds until then, also sent as `Retry-After`.
        code: The kind of error, for scripts.
    """
    return ProblemError(429, code, detail, headers={"Retry-After": str(wait)}, retry_after=wait)


def invalid(parameters_refused: list[tuple[str, str, str]]) -> ProblemError:
    """Parameters that do not validate, each as (where, name, message)."""
    parameters = [
        {"where": where, "name": name, "message": message} for where, name, message in parameters_refused
    ]
    detail = "; ".join(f"{name or where}: {message}" for where, name, message in parameters_refused)
    return ProblemError(422, "invalid-parameters", detail, parameters=parameters)


def _invalid(error: ValidationError) -> ProblemError:
    return invalid(
        [(str(one["loc"][0]), ".".join(map(str, one["loc"][1:])), one["msg"]) for one in error.errors]
    )


def _http(error: HttpError) -> ProblemError:
    if isinstance(error.__cause__, ProblemError):  # a body that cannot be read, which says why
        return error.__cause__
    headers = {"WWW-Authenticate": "Bearer"} if error.status_code == 401 else {}
    text = (
        "Send a token (Authorization: Bearer geb_…) or sign in."
        if error.status_code == 401
        else error.message
    )
    return ProblemError(error.status_code, "unauthenticated" if headers else "", text, headers=headers)


def _throttled(error: Throttled) -> ProblemError:
    wait = math.ceil(error.wait or 1)
    return too_many(f"Too many requests. Try again in {wait} s.", wait=wait)


TRANSLATIONS: dict[type[Exception], Any] = {
    HttpError: _http,
    Throttled: _throttled,
    ValidationError: _invalid,
    Http404: lambda error: ProblemError(404, "not-found", "There is nothing at this address."),
    RequestDataTooBig: lambda error: ProblemError(
        413, "too-large", "The fields of the request are too large."
    ),
    SuspiciousOperation: lambda error: ProblemError(400, "bad-request", "The request cannot be read."),
    MultiPartParserError: lambda error: ProblemError(
        400, "bad-request", f"The multipart body is damaged: {error}"
    ),
    UnreadablePostError: lambda error: ProblemError(400, "bad-request", "The request broke off."),
}
