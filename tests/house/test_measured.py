"""The page of what was measured is made of its records."""

from tests.assay.page import PAGE, page


def test_the_page_is_made_of_the_records() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.assay.page"
