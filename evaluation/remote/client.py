"""Client of a site's API. Every failure raises a ClientError that explains it."""

from __future__ import annotations

import difflib
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evaluation import __version__
from evaluation.core.connections import cause_of, connect, usable_key
from evaluation.core.errors import BenchmarkError
from evaluation.core.secrets import redact

if TYPE_CHECKING:
    import httpx2  # slow to import: `--help` does without it

    from evaluation.remote.records import Record

API = "/api/v1"
TRIES = 3
TIMEOUT, READ_TIMEOUT = 30, 300  # seconds; a large file is checked before the response
NOT_FOUND, REFUSED, TOO_MANY, BUSY = 404, 422, 429, 503
#: A path about a version, with its name.
_VERSION = re.compile(r"/(?:versions|leaderboard)/([^/]+/[^/]+)")


R = TypeVar("R", bound="Record")


class ClientError(BenchmarkError):
    """The site is unreachable, or refused the request. `problem`: the site's problem details (RFC 9457), if any."""

    def __init__(self, text: str, *, status: int = 0, problem: Mapping[str, Any] | None = None) -> None:
        self.status, self.problem = status, problem or {}
        super().__init__(text)


class Client:
    """Client of one site, for use in a `with` block."""

    def __init__(self, url: str, token: str = "", *, transport: httpx2.BaseTransport | None = None) -> None:
        import httpx2

        headers = {"User-Agent": f"goldevidencebench/{__version__}"}
        if token:
            key = usable_key(token)
            if not key:
                raise ClientError("the token has invalid characters: sign in again, or copy the token again")
            headers["Authorization"] = f"Bearer {key}"
        self.url = _checked(url)
        timeout = httpx2.Timeout(TIMEOUT, read=READ_TIMEOUT)
        self._http = connect(url, base_url=url, headers=headers, timeout=timeout, transport=transport)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def get(self, path: str, record: type[R], **query: Any) -> R:
        """GET a record from a path of the API, without None and empty parameters. Raises ClientError."""
        try:
            response = self._send("GET", API + path, params=_non_empty(query))
        except ClientError as error:
            if error.status == NOT_FOUND and (match := _VERSION.match(path)):
                raise self._unknown(match[1], error) from error
            raise
        return self._read(response, record)

    def _unknown(self, name: str, error: ClientError) -> ClientError:
        """Return an error that names the most similar version of the site. If the version exists, return `error`."""
        from evaluation.remote.records import Version

        names = [version.id for version in self.items("/versions", Version, limit=100)]
        if name in names:
            return error
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"; nearest: {near[0]}" if near else ": `goldevidencebench versions` lists them"
        return ClientError(f"no version {name!r}{hint}", status=error.status, problem=error.problem)

    def delete(self, path: str) -> None:
        self._send("DELETE", API + path)

    def post_file(self, path: str, file: Path, record: type[R], *, key: str = "", **query: Any) -> R:
        """POST a file, with an idempotency `key`, so that a retry makes no duplicate. Raises ClientError."""
        headers = {"Content-Type": "application/octet-stream"} | ({"Idempotency-Key": key} if key else {})
        with open(file, "rb") as body:
            response = self._send("POST", API + path, params=_non_empty(query), content=body, headers=headers)
        return self._read(response, record)

    def items(self, path: str, record: type[R], *, most: int | None = None, **query: Any) -> Iterator[R]:
        """Yield at most `most` items of a list. Pages are requested as needed. Raises ClientError."""
        import httpx2

        from evaluation.remote.records import Page

        page, left = self.get(path, Page, **query), most
        while True:
            yield from (self._record(item, record) for item in page.items[:left])
            left = None if left is None else left - len(page.items)
            if not page.next or (left is not None and left <= 0):
                return
            # Only the path is used: the token must never go to another server.
            page = self._read(self._send("GET", httpx2.URL(page.next).raw_path.decode()), Page)

    def stream(self, path: str, **headers: str) -> Any:
        """A streamed GET, as a context manager over the response."""
        return self._http.stream("GET", API + path, headers=headers)

    def fetch(self, address: str, out: Path, **query: Any) -> None:
        """Download a file of this site. The host of `address` is ignored: a token is sent to the chosen server only.

        `query` replaces the query of `address`; None and empty parameters are left out. Raises ClientError.
        """
        import httpx2

        path, params = httpx2.URL(address).raw_path.decode(), _non_empty(query) or None
        out.write_bytes(self._send("GET", path, params=params).content)

    def _send(self, method: str, path: str, *, content: Any = None, **options: Any) -> httpx2.Response:
        """Send a request, with retries after a broken connection, or after the pause that a busy site asks for."""
        import httpx2

        for attempt in range(1, TRIES + 1):
            if content is not None:
                content.seek(0)
            try:
                response = self._http.request(method, path, content=content, **options)
            except httpx2.DecodingError as error:
                raise ClientError(f"{self.url} sent a response that cannot be unpacked: {error}") from error
            except httpx2.TransportError as error:
                cause = cause_of(error, self.url)
                if attempt == TRIES or (cause is not None and cause.lasts):
                    why = cause.text if cause else error or type(error).__name__
                    raise ClientError(f"{self.url} cannot be reached: {why}") from error
                time.sleep(attempt)
                continue
            wait = _pause(response)
            if wait is None or attempt == TRIES:
                break
            time.sleep(wait)
        if response.is_error or response.is_redirect:
            raise error_of(response)
        return response

    def _read(self, response: httpx2.Response, record: type[R]) -> R:
        try:
            data = response.json()
        except (ValueError, RecursionError) as error:
            raise self._strange() from error
        return self._record(data, record)

    def _record(self, data: Any, record: type[R]) -> R:
        from pydantic import ValidationError

        try:
            return record.model_validate(data)
        except ValidationError as error:
            fields = sorted({".".join(map(str, detail["loc"])) for detail in error.errors()} - {""})
            what = f" Missing or malformed fields: {', '.join(fields)}." if fields else ""
            raise ClientError(f"{self._strange()}{what}") from error

    def _strange(self) -> ClientError:
        return ClientError(f"the response of {self.url} is not from this API: check the address.")


def _checked(url: str) -> str:
    import httpx2

    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise ClientError(f"{redact(url)!r} is not an address: {error}") from error
    if parsed.userinfo:
        raise ClientError(
            "the address of a site must not contain a user or password: sign in with a token instead"
        )
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ClientError(f"{redact(url)!r} is not an address: it must look like https://host")
    return url


def _non_empty(query: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in query.items() if value not in (None, "", False)}


def _pause(response: httpx2.Response) -> int | None:
    wait = response.headers.get("Retry-After", "")
    if response.status_code not in (TOO_MANY, BUSY) or not wait.isdecimal() or int(wait) > 60:
        return None
    return int(wait)


def error_of(response: httpx2.Response) -> ClientError:
    """Build the error that describes a failed response, in the site's own words."""
    try:
        problem = response.json()
        text = problem["detail"]
    except (ValueError, KeyError, TypeError):
        problem = {}
        text = f"{response.url} answered {response.status_code} {response.reason_phrase}"
    return ClientError(text, status=response.status_code, problem=problem)
