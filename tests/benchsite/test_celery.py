"""A task that a request queues is logged under the id of that request."""

from __future__ import annotations

import json
from pathlib import Path

from celery import current_app

from leaderboard.jobs import dispatch
from leaderboard.web import request_ids


def test_a_message_names_the_request_that_sent_it(tmp_path: Path) -> None:
    folder = {"data_folder_in": str(tmp_path), "data_folder_out": str(tmp_path)}
    token = request_ids.current.set("of-the-request")
    message = dispatch._Message("reap", (), None)
    request_ids.current.reset(token)
    with current_app.connection("filesystem://", transport_options=folder) as connection:
        message.context.run(current_app.send_task, "leaderboard.tasks.reap", connection=connection)
    (file,) = tmp_path.glob("*.msg")
    assert json.loads(file.read_text())["headers"]["X-Request-ID"] == "of-the-request"
