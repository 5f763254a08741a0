"""Names removed on purpose: a pattern of their lines (`*` stands for anything) -> why, and what to use instead.

"commands.txt" and its neighbours keep these lines, so that no name comes back with another meaning.
"""

from __future__ import annotations

REMOVED: dict[str, str] = {
    "goldevidencebench submit argument 2 VALUE": "takes several files, those of repeats; one works as before",
    "goldevidencebench state context --budget VALUE": "takes several; one works as before",
    "goldevidencebench sweep run --wrong-type = *": "takes several, by comma; one of the same names works as before",
    "rows.jsonl .document": "a preset's rows hold what its protocol shows; those of `open` and `build` hold the log",
    "GET /api/v1/submissions/{id}/artifacts answers 200 .items[]*": "null while a version keeps its answers: how many "
    "lines are right, episode by episode, tells them",
    "* is called leaderboard_*": "ids of operations are short now, `list_versions`; "
    "tests/leaderboard/api/operation_ids.txt pins them",
}
