"""A small real HTTP server that serves a GGUF by llama.cpp in the OpenAI API's form.

(llama-cpp-python's own server needs FastAPI.) It can be told to fail first, to misbehave by a script, and keeps what it
was asked.
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


@dataclass
class Server:
    """`failures` are the status codes of the first requests; `delay_s` goes before every answer.

    `script` makes (status, body) of each request in place of a model.
    """

    model: Path | None
    failures: list[int] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None  # sent instead of a model's answer
    script: Callable[[dict[str, Any]], tuple[int, dict[str, Any]]] | None = None
    delay_s: float = 0.0
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    busiest: int = 0
    _busy: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _llama: Any = None

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, bytes]:
        """(status, body) of the answer to a request."""
        if self.failures:
            return self.failures.pop(0), b'{"error": "not now"}'
        if self.script is not None:
            status, found = self.script(body)
            return status, json.dumps(found).encode()
        return 200, self.answer(path, body)

    def answer(self, path: str, body: dict[str, Any]) -> bytes:
        """The model's answer, computed one at a time."""
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
            server.requests.append(body)
            server.keys.append(self.headers.get("Authorization"))
            with server.counted():  # which ends before the answer goes out: with it the client asks the next
                status, data = server.reply(self.path, body)
            self._send(status, data)

        def _send(self, status: int, data: bytes) -> None:
            try:
                self.send_response(status)
                for name, value in server.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                self.close_connection = True  # the client gave up waiting

        def log_message(self, *_args: Any) -> None:
            """Keep quiet."""

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
