"""Reading straight through is a shortcut: it gives what reading with care gives, or leaves the text to that."""

from pathlib import Path

import pytest

from akmc.careful import NESTING_MAX, PARTING, WORDS_MAX, CarefulReading
from akmc.rules import all_rules
from akmc.source import Source
from akmc.straight import read_straight

EXAMPLES = Path(__file__).parents[2] / "specs" / "workflows"
TEXTS = [
    *(each.wrong for each in all_rules() if each.language == "akm"),
    *(each.right for each in all_rules() if each.language == "akm"),
    *(each.read_text(encoding="utf-8") for each in sorted(EXAMPLES.rglob("*.akm"))),
]


def test_both_ways_give_the_same_tree_and_the_same_words() -> None:
    straight = 0
    for text in TEXTS:
        careful = CarefulReading(Source("x.akm", text))
        tree = careful.run()
        if careful.findings:
            assert read_straight(text, WORDS_MAX, NESTING_MAX) is None
        else:
            found = read_straight(text, WORDS_MAX, NESTING_MAX)
            assert found is not None
            words = [each for each in found[1] if each.kind not in PARTING]
            assert (found[0], words) == (tree, careful.taken)
            straight += 1
    assert straight > 100
    assert straight < len(TEXTS), "some of them have faults"


@pytest.mark.parametrize(("words_max", "depth_max"), [(5, NESTING_MAX), (WORDS_MAX, 3)])
def test_a_text_beyond_the_limits_is_left_to_the_careful_reading(words_max: int, depth_max: int) -> None:
    text = 'workflow w "W" {\n  step a: exec a { on passed -> completed }\n}\n'
    assert read_straight(text, WORDS_MAX, NESTING_MAX) is not None
    assert read_straight(text, words_max, depth_max) is None
