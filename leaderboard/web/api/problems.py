"""Errors of the API as problem+json (RFC 9457).

`type` is a URN that scripts can compare, `title` the kind of error, `detail` the cause and the remedy. A
rejected file returns `problems` by line, with the messages of the engine's check.
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
    """Any error of the API. `code` identifies its kind for scripts; `extra` members are added to the response."""

    def __init__(
        self, status: int, code: str, detail: str, *, headers: dict[str, str] | None = None, **extra: Any
    ) -> None:
        self.status, self.code, self.detail = status, code, detail
        self.headers, self.extra = headers or {}, extra
        super().__init__(detail)


class LineProblem(Schema):
    """Why a line of a predictions file is refused."""

    code: str = Field(description="A short name that scripts can compare.")
    message: str = Field(description="A sentence for people.")
    line: int | None = Field(None, description="Number of the line, from 1; null: the whole file.")
    column: int | None = Field(None, description="Column of the line, from 1; null: not known.")
    id: str | None = Field(None, description="The row's id; null: not known.")


class GroupOfProblems(Schema):
    """Reported problems of one kind: their number, lines, and the first message."""

    code: str = Field(description="A short name that scripts can compare.")
    message: str = Field(description="Message of the first problem of this kind.")
    count: int = Field(description="Number of problems of this kind.")
    lines: str = Field(description="The affected lines, such as `3, 7–9`.")


class Guess(Schema):
    """The likely kind of a rejected file, with advice."""

    code: str = Field(description="A short name that scripts can compare.")
    message: str = Field(description="A sentence for people.")


class ParameterProblem(Schema):
    """Why a parameter is refused."""

    where: str = Field(description="Part of the request: `path`, `query`, `header`, `body` or `form`.")
    name: str = Field(description="Name of the parameter.")
    message: str = Field(description="Why the parameter is refused.")


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

    type: str = Field("about:blank", description="A URN that scripts can compare.")
    title: str = Field(description="The kind of error.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What happened, and what to do.")
    problems: list[LineProblem] | None = Field(
        None, description="The first problems of a rejected file, by line."
    )
    counts: dict[str, int] | None = Field(
        None,
        description="Number of affected rows of a rejected file, by code; a minimum if `stopped`.",
    )
    stopped: bool | None = Field(
        None, description="Whether the check stopped early, so that there may be more problems."
    )
    groups: list[GroupOfProblems] | None = Field(None, description="The file's problems, grouped by kind.")
    guess: Guess | None = Field(
        None, description="Likely kind of a rejected file: CSV, another benchmark's lines; null: not known."
    )
    parameters: list[ParameterProblem] | None = Field(None, description="The invalid parameters.")
    retry_after: int | None = Field(None, description="Seconds to wait, as in the header Retry-After.")


def answer(error: ProblemError) -> HttpResponse:
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
    return HTTPStatus(status).phrase


def translates(kind: type[Exception]) -> Callable[[Translation], Translation]:
    """Decorator that registers a function which turns exceptions of this kind into errors of the API."""

    def keep(translate: Translation) -> Translation:
        TRANSLATIONS[kind] = translate
        return translate

    return keep


def register(api: NinjaAPI) -> None:
    """Add handlers for all registered exceptions. Call it after all packages have registered their exceptions."""
    api.add_exception_handler(ProblemError, _handler(lambda error: error))
    for kind, translate in TRANSLATIONS.items():
        api.add_exception_handler(kind, _handler(translate))


def _handler(translate: Any) -> Any:
    def handle(request: HttpRequest, error: Any) -> HttpResponse:
        return answer(translate(error))

    return handle


def too_many(detail: str, *, wait: int, code: str = "too-many-requests") -> ProblemError:
    """Error 429; `wait`, in seconds, is also sent as `Retry-After`."""
    return ProblemError(429, code, detail, headers={"Retry-After": str(wait)}, retry_after=wait)


def invalid(parameters_refused: list[tuple[str, str, str]]) -> ProblemError:
    """Error 422 for invalid parameters, each as (where, name, message)."""
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
    if isinstance(error.__cause__, ProblemError):  # an unreadable body has its own message
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
    UnreadablePostError: lambda error: ProblemError(
        400, "bad-request", "The connection closed before the request was complete. Send it again."
    ),
}
