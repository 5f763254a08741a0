"""An example server of the conformance protocol: `goldevidencebench state serve`."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import orjson

from evaluation.errors import BenchmarkError
from evaluation.statebench.conformance.protocol import Implementation, ours

_LIMIT = 16 << 20  # bytes of a request


def make_server(host: str, port: int, implementation: Implementation = ours) -> ThreadingHTTPServer:
    """A server that answers every POST with what the implementation says. Port 0 takes a free one."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            if length > _LIMIT:
                return self._send(413, {"error": f"a request may have {_LIMIT} bytes"})
            try:
                request = orjson.loads(self.rfile.read(length))
                return self._send(200, implementation(request))
            except (orjson.JSONDecodeError, KeyError, TypeError, BenchmarkError) as error:
                return self._send(400, {"error": f"{type(error).__name__}: {error}"})

        def _send(self, status: int, body: object) -> None:
            payload = orjson.dumps(body)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the terminal quiet."""

    return ThreadingHTTPServer((host, port), Handler)
