"""Whether the commands that texts mention exist, with their options."""

from __future__ import annotations

from django.core.management import load_command_class

from evaluation.cli import COMMANDS, _parser

DJANGO_OWN = {"makemigrations", "migrate", "collectstatic", "createsuperuser"}


def mentioned(text: str) -> tuple[list[str], list[str]] | None:
    """(program and command, options) that a mention names; None if it names none."""
    words = text.split()
    if words[:1] == ["python"]:
        words = words[1:]
    if len(words) < 2 or words[0] not in ("goldevidencebench", "manage.py"):
        return None
    return words, [word.split("=")[0] for word in words if word.startswith("--")]


def known_options(words: list[str]) -> set[str]:
    """The options of the command at the beginning of these words. Fails if it does not exist."""
    if words[0] == "manage.py":
        parser = load_command_class("leaderboard", words[1]).create_parser("manage.py", words[1])
        return {option for action in parser._actions for option in action.option_strings}
    parser = _parser(words[1:2])
    for word in words[1:]:
        groups = [action for action in parser._actions if isinstance(action.choices, dict)]
        if not groups:
            break
        assert word in groups[0].choices, f"goldevidencebench has no {' '.join(words)}"
        parser = groups[0].choices[word]
    return {option for action in parser._actions for option in action.option_strings}


def check_mentions(texts: list[str]) -> None:
    for text in texts:
        result = mentioned(text.replace("|", " ").replace("…", ""))
        if result and result[0][1] not in DJANGO_OWN and result[0][1][:1] not in "-<":
            assert result[0][0] == "manage.py" or result[0][1] in COMMANDS, text
            assert set(result[1]) <= known_options(result[0]), text
