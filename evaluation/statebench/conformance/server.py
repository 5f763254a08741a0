"""An example server of the conformance protocol: `goldevidencebench state serve`."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.statebench.conformance.protocol import Implementation, ours

_LIMIT = 16 << 20  # bytes of a request


def make_server(host: str, port: int, implementation: Implementation = ours) -> ThreadingHTTPServer:
    """A server that answers every POST with what the implementation says.

    Args:
        host: The address to listen on.
        port: The port; 0 takes a free one.
        implementation: What is asked; ours where left out.

    Returns:
        The server, bound and not yet serving.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not length.isdecimal():
                return self._send(411, _error("send the request with its Content-Length"))
            if int(length) > _LIMIT:
                return self._send(413, _error(f"a request may have {_LIMIT} bytes"))
            return self._send(*_answer(implementation, self.rfile.read(int(length))))

        def _send(self, status: int, payload: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the terminal quiet."""

    return ThreadingHTTPServer((host, port), Handler)


def _answer(implementation: Implementation, body: bytes) -> tuple[int, bytes]:
    """Status and answer for a request. An implementation that breaks is its own fault, and says so."""
    try:
        return 200, jsonl.dumps(implementation(jsonl.parse_row(body)))
    except (KeyError, TypeError, BenchmarkError) as error:
        return 400, _error(error)
    except Exception as error:  # anybody's code
        return 500, _error(error)


def _error(error: Exception | str) -> bytes:
    text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    return jsonl.dumps({"error": text})
