"""Each test file is at the path of what it tests, so that a module's tests are found (`make near`)."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent
#: Folders of what goes through many modules: real sites, pages, faults, the kit, kept installations, published words.
FLOWS = {"benchmarks", "deploy", "faults", "flows", "installations", "interface", "readme"}


def is_in_place(path: Path) -> bool:
    """Whether `a/test_b.py` tests `a/b.py`, the package `a/b` or, where it is named as its folder, the package `a`."""
    name = path.stem.removeprefix("test_")
    source = TESTS.parent / path.parent / name
    is_of_package = name == path.parent.name
    return source.with_suffix(".py").exists() or source.is_dir() or is_of_package


def test_a_test_file_stands_at_the_path_of_what_it_tests() -> None:
    of_modules = [path.relative_to(TESTS) for path in TESTS.glob("*/**/test_*.py")]
    lost = [str(path) for path in of_modules if not FLOWS & set(path.parts) and not is_in_place(path)]
    assert lost == [], "move it to its module, or to a folder `flows`"
