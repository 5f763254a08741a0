"""A small real HTTP server that serves a GGUF by llama.cpp in the OpenAI API's form.

(llama-cpp-python's own server needs FastAPI.) It can fail at first or misbehave by a script, and records its
requests.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Raw:
    """A raw HTTP reply. `cut`: the connection ends in the middle of it."""

    data: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False


@dataclass
class Server:
    """`failures`: status codes of the first requests. `delay_s`: wait before every answer.

    `script` replaces the model: it returns (status, body), or a `Raw`, for each request. `routes` are further replies,
    by the end of the path; they are not counted as requests.
    """

    model: Path | None
    failures: list[int] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None  # sent instead of a model's answer
    script: Callable[[dict[str, Any]], tuple[int, dict[str, Any]] | Raw] | None = None
    routes: dict[str, dict[str, Any]] = field(default_factory=dict)
    delay_s: float = 0.0
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    received: list[dict[str, str]] = field(default_factory=list)  # the headers
    busiest: int = 0
    _busy: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _llama: Any = None

    def reply(self, path: str, body: dict[str, Any]) -> Raw:
        """The answer to a request."""
        if self.failures:
            return Raw(b'{"error": "not now"}', self.failures.pop(0), self.headers)
        if self.script is not None:
            result = self.script(body)
            if isinstance(result, Raw):
                return result
            return Raw(json.dumps(result[1]).encode(), result[0], self.headers)
        return Raw(self.answer(path, body), headers=self.headers)

    def told(self, path: str) -> Raw | None:
        """The reply of `routes` to a path, None if there is none."""
        found = next((data for end, data in self.routes.items() if path.endswith(end)), None)
        return None if found is None else Raw(json.dumps(found).encode())

    def answer(self, path: str, body: dict[str, Any]) -> bytes:
        """The model's answer; one request at a time."""
        if self.body is not None:
            return self.body
        with self._lock:
            if self._llama is None:
                from llama_cpp import Llama

                self._llama = Llama(str(self.model), n_ctx=4096, n_threads=1, verbose=False)
            return json.dumps(_complete(self._llama, path, body)).encode()

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self._busy += 1
            self.busiest = max(self.busiest, self._busy)
        try:
            time.sleep(self.delay_s)
            yield
        finally:
            with self._lock:
                self._busy -= 1


def _complete(llama: Any, path: str, body: dict[str, Any]) -> Any:
    from llama_cpp import LlamaGrammar

    common = {"temperature": body["temperature"], "seed": body["seed"], "max_tokens": body["max_tokens"]}
    if "grammar" in body:
        common["grammar"] = LlamaGrammar.from_string(body["grammar"], verbose=False)
    if path.endswith("/chat/completions"):
        form = body.get("response_format")
        if form and form["type"] == "json_schema":
            form = {"type": "json_object", "schema": form["json_schema"]["schema"]}
        return llama.create_chat_completion(body["messages"], response_format=form, **common)
    return llama.create_completion(body["prompt"], **common)


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    """Serve on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if (told := server.told(self.path)) is not None:
                self._send(told)
                return
            server.requests.append(body)
            server.paths.append(self.path)
            server.received.append(dict(self.headers.items()))
            server.keys.append(self.headers.get("Authorization"))
            with server.counted():  # which ends before the answer goes out: with it the client asks the next
                reply = server.reply(self.path, body)
            self._send(reply)

        def do_GET(self) -> None:
            self._send(server.told(self.path) or Raw(b'{"error": "no such page"}', 404))

        def _send(self, reply: Raw) -> None:
            try:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.data)))
                self.end_headers()
                self.wfile.write(reply.data[: len(reply.data) // 2] if reply.cut else reply.data)
            except OSError:
                self.close_connection = True  # the client gave up waiting
            self.close_connection |= reply.cut

        def log_message(self, *_args: Any) -> None:
            """Silence the log."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_port}/v1"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
