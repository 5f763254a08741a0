"""A memory behind HTTP: the same objects, retries of temporary faults, a clear error for others."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from evaluation.core.errors import AdapterError, RowError
from evaluation.statebench.conformance.remote import AddressError, Silence, StatusError, make_server
from evaluation.statebench.data.tokens import get_tokenizer
from evaluation.statebench.memory import find_memory, recall, served
from evaluation.statebench.memory.remote import HttpMemory
from tests.evaluation.conftest import make_timelines

ROW = make_timelines(count=1)[0]
COUNT = get_tokenizer(None)
EVENT = {"index": 0, "type": "start", "identity": {}}
QUERY: Any = {"type": "query", "ts": "2026-01-05T09:00:00", "prompt": "Well?"}


class Server:
    """Fails a number of times, then answers."""

    def __init__(self, *failures: AdapterError) -> None:
        self.failures = list(failures)
        self.requests: list[Any] = []

    def __call__(self, request: Any) -> dict[str, Any]:
        self.requests.append(request)
        if self.failures:
            raise self.failures.pop(0)
        return {"text": "all is well"}


def busy() -> StatusError:
    return StatusError("answered with status 503", 503)


@pytest.mark.parametrize("failures", [[busy()], [Silence("nothing came"), busy()]])
def test_temporary_failures_are_sent_again(failures: list[AdapterError]) -> None:
    server = Server(*failures)
    assert HttpMemory(server, pause_s=0).context(QUERY, 9)["text"] == "all is well"
    assert len(server.requests) == 1 + len(failures)
    assert all(request == server.requests[0] for request in server.requests)


def test_permanent_failures_are_an_error() -> None:
    server = Server(busy(), busy(), busy())
    with pytest.raises(StatusError, match="503"):
        HttpMemory(server, pause_s=0).ingest(EVENT)
    assert len(server.requests) == 3
    server = Server(StatusError("answered with status 404", 404))
    with pytest.raises(StatusError, match="404"):
        HttpMemory(server, pause_s=0).ingest(EVENT)
    assert len(server.requests) == 1


class Counting:
    """Counts the events."""

    def __init__(self) -> None:
        self.count = 0
        self.closed = False

    def ingest(self, event: Any) -> None:
        self.count += 1

    def context(self, query: Any, budget: int) -> Any:
        return {"text": f"{self.count} of {budget}", "items": []}

    def close(self) -> None:
        self.closed = True


def test_an_event_that_is_sent_twice_is_taken_in_once_and_memories_are_kept_apart() -> None:
    made: list[Counting] = []

    def make() -> Counting:
        made.append(Counting())
        return made[-1]

    answer = served(make)
    for name, index in (("a", 0), ("a", 0), ("a", 1), ("b", 0)):
        assert answer({"memory": name, "event": EVENT | {"index": index}}) == {}
    assert answer({"memory": "a", "query": QUERY, "budget": 7})["text"] == "2 of 7"
    assert answer({"memory": "b", "query": QUERY, "budget": 7})["text"] == "1 of 7"
    assert answer({"memory": "a", "close": True}) == {}
    assert [memory.closed for memory in made] == [True, False]
    assert answer({"memory": "a", "query": QUERY, "budget": 7})["text"] == "0 of 7"


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"memory": 3},
        {"memory": "a"},
        {"memory": "a", "event": {"index": 0}},
        {"memory": "a", "query": QUERY},
    ],
)
def test_a_request_that_is_none_is_refused(request_: Any) -> None:
    with pytest.raises(RowError, match="a request"):
        served(Counting)(request_)


@pytest.mark.timing
def test_a_strategy_behind_a_real_server_shows_what_it_shows_in_process() -> None:
    server = make_server("127.0.0.1", 0, served(find_memory("state_based")))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        make = find_memory(f"http://127.0.0.1:{server.server_port}/")
        [remote], [direct] = (recall(ROW, each, (60,), COUNT) for each in (make, find_memory("state_based")))
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert [each.text for each in remote] == [each.text for each in direct]


def test_an_address_that_is_none_is_said_before_anything_is_told() -> None:
    with pytest.raises(AddressError, match="not a valid address"):
        find_memory("http://")
