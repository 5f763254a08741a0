"""A model server of fixed replies. Nothing of the engine is imported: environments differ."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def served(replies: Mapping[str, str]) -> Iterator[str]:
    """Run an OpenAI-compatible server that looks up replies by user message; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = replies[asked["messages"][-1]["content"]]
            own = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": asked["model"]}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            delta = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
            stop = {"index": 0, "delta": {}, "finish_reason": "stop"}
            events = [own | {"choices": [each]} for each in (delta, stop)] + [
                own | {"choices": [], "usage": usage}
            ]
            body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Silence the log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
