from slugs import slug


def test_words_are_joined_by_dashes() -> None:
    assert slug("Release notes") == "release-notes"


def test_accents_are_dropped() -> None:
    assert slug("Crème brûlée") == "creme-brulee"


def test_punctuation_leaves_no_trace() -> None:
    assert slug("  Ready, steady: go!  ") == "ready-steady-go"
