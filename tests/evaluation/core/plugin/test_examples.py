"""Examples for readers to answer: made by the generators, right by the graders. Also labels of splits."""

from __future__ import annotations

import pytest

from evaluation.core.suite import LARGEST_THOUGHT_OF, get_suite

SUITES = ("goldevidence", "statebench")


@pytest.fixture(params=SUITES)
def suite(request):
    return get_suite(request.param)


@pytest.fixture
def example(suite):
    return suite.display.example(suite)


def test_the_grader_says_which_choice_is_right(suite, example) -> None:
    for choice in example.choices:
        report = suite.version(example.settings).grade([example.item.gold], [choice.prediction])
        (verdict,) = [each for each in report.rows if each["id"] == suite.row_id(choice.prediction)]
        assert (verdict["failure"] is None) is choice.right, choice.text


def test_one_choice_is_right_and_all_differ(example) -> None:
    texts = [choice.text for choice in example.choices]
    assert len(set(texts)) == len(texts) >= 3
    assert sum(choice.right for choice in example.choices) == 1


def test_the_lines_are_those_of_the_generated_row(suite, example) -> None:
    row = str(example.item.rows[0])
    assert 6 <= len(example.lines) <= 10
    assert all(line.text.removeprefix("(written down) ") in row for line in example.lines)
    assert example.question in str(example.item.rows)


def test_one_line_is_gold_and_something_was_replaced_before_it(example) -> None:
    roles = [line.role for line in example.lines]
    assert roles.count("gold") == 1
    assert "old" in roles[: roles.index("gold")]


def test_the_value_of_the_gold_line_is_the_right_choice(example) -> None:
    (right,) = (choice.text for choice in example.choices if choice.right)
    (gold,) = (line.text for line in example.lines if line.role == "gold")
    assert right in gold


def test_a_note_and_a_distractor_lie_behind_the_gold_line() -> None:
    suite = get_suite("goldevidence")
    lines = suite.display.example(suite).lines
    gold = next(at for at, line in enumerate(lines) if line.role == "gold")
    traps = [line.text for line in lines[gold:] if line.role == "trap"]
    assert any(" NOTE " in text for text in traps)
    assert any(text.startswith("DISTRACTOR") for text in traps)


def test_an_example_is_of_an_open_seed_and_key(suite, example) -> None:
    assert not suite.version(example.settings).settings.has_secret_seeds
    assert not example.settings.get("key")
    seeds = [example.settings.get("seed"), *example.settings.get("seeds", ())]
    assert max(seed for seed in seeds if seed is not None) < LARGEST_THOUGHT_OF


def test_an_example_is_the_same_every_time(suite) -> None:
    make = suite.display.example
    make.cache_clear()
    first = make(suite)
    make.cache_clear()
    assert make(suite) == first


def test_some_preset_has_rows_that_are_like_it(suite, example) -> None:
    def has(settings) -> bool:
        splits = sorted(
            {
                row[1]
                for item in [next(suite.version(settings).generate())]
                for row in item.gold.get("rows", [])
            }
        )
        names = list(settings.get("tracks") or splits)
        facets = suite.version(settings).facets(names)
        return any((f.name, part) in example.parts for f in facets for part, _ in f.choices)

    generated = (each for name, each in suite.presets().items() if name in ("quick", "standard_short"))
    assert any(has(suite.settings.checked(each.settings)) for each in generated)


def test_every_split_has_a_name_of_its_own_and_says_what_it_is(suite) -> None:
    named = suite.display.splits.named
    for settings in (suite.settings.checked(each.settings) for each in suite.presets().values()):
        splits = [each["name"] for each in settings.get("conditions", ())] + list(settings.get("tracks", ()))
        assert all(named(settings, split).text for split in splits)
        labels = [label for facet in suite.version(settings).facets(splits) for _, label in facet.choices]
        assert len(set(labels)) == len(labels)


def test_a_condition_is_called_by_what_it_shows() -> None:
    suite = get_suite("goldevidence")
    settings = suite.settings.checked(
        {"conditions": [{"k": 4, "order": "gold_first"}, {"k": 2, "drop_prob": 0.3}]}
    )
    names = [suite.display.splits.named(settings, each["name"]).name for each in settings["conditions"]]
    assert names == ["4 lines, gold first", "2 lines, shuffled, gold left out in 30%"]
    assert suite.display.splits.named(settings, "8k").name == "8k tokens"
    assert not suite.display.splits.named(settings, "nonsense").text


def test_terms_are_told_once(suite, example) -> None:
    names = [term.name for term in suite.display.terms]
    assert set(example.words) <= set(names)
    assert len(set(names)) == len(names)
    assert all(term.text.endswith(".") for term in suite.display.terms)
