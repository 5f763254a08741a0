"""The folder broker: a message is there completely or not at all."""

from __future__ import annotations

import threading
from queue import Empty

from kombu import Connection

from benchsite import broker
from benchsite.celery import app


def connect(folder):
    options = {
        "data_folder_in": str(folder),
        "data_folder_out": str(folder),
        "control_folder": str(folder / "control"),
    }
    return Connection("filesystem://", transport_options=options)


def test_the_site_uses_it():
    assert Connection("filesystem://").transport_cls == "filesystem"
    assert isinstance(Connection("filesystem://").transport, broker.Transport)
    assert app.main == "benchsite"


def test_a_reader_that_looks_all_the_time_never_sees_half_a_message(tmp_path):
    count, seen = 300, []

    def write() -> None:
        with connect(tmp_path) as connection:
            channel = connection.channel()
            for number in range(count):
                channel._put("models", {"number": number, "padding": "x" * 20_000})

    writer = threading.Thread(target=write)
    writer.start()
    with connect(tmp_path) as connection:
        channel = connection.channel()
        while writer.is_alive() or len(seen) < count:
            try:
                seen.append(channel._get("models")["number"])
            except Empty:
                continue
    writer.join()
    assert sorted(seen) == list(range(count))
