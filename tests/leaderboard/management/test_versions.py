"""Commands over versions find them by address, or take all readable ones."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class

from leaderboard.management.versions import VersionsCommand, chosen_versions

NAMES = ("regrade", "rerun")


def test_an_address_names_one_version_and_none_names_all(version, small) -> None:
    assert list(chosen_versions(f"{version.benchmark.slug}/{version.slug}")) == [version]
    assert {version, small} == set(chosen_versions(None))


@pytest.mark.parametrize("address", ["goldevidencebench/none", "none/tiny", "none", ""])
def test_an_address_of_no_version_is_refused(version, address) -> None:
    with pytest.raises(CommandError, match="no frozen version"):
        chosen_versions(address)


@pytest.mark.parametrize("name", NAMES)
def test_a_command_wants_one_version_or_all(name) -> None:
    assert isinstance(load_command_class(get_commands()[name], name), VersionsCommand)
    with pytest.raises(CommandError, match="--version --all"):
        call_command(name)
