"""Pages and schemas that are made from the code say what the code says."""

import re
from pathlib import Path

import pytest

from akm_specs.published import SchemaName, published_schema
from akmc.bounds import defaults_table
from akmc.explain import explained, page
from akmc.limits import limits_table
from akmc.lint import findings_of
from akmc.parse import parse
from akmc.rules import all_rules
from akmc.schemas import SCHEMAS
from akmc.source import Source

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def text_of(name: str) -> str:
    if not REFERENCE.is_dir():
        pytest.skip("about the checkout's pages, and this suite runs outside of one")
    return (REFERENCE / name).read_text(encoding="utf-8")


def samples(text: str) -> list[str]:
    return re.findall(r"^```akm\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def test_the_page_of_diagnostics_is_made_from_the_rules() -> None:
    advice = "run: python -m akmc.explain > docs/reference/diagnostics.md"
    assert text_of("diagnostics.md") == page(all_rules()), advice


@pytest.mark.parametrize(("name", "table"), [("defaults", defaults_table()), ("limits", limits_table())])
def test_a_table_is_made_from_the_code(name: str, table: str) -> None:
    marked = re.compile(rf"<!-- {name}:[^\n]*-->\n(.*?)<!-- end of {name} -->", flags=re.DOTALL)
    match = marked.search(text_of("language.md"))
    assert match is not None
    assert match[1] == table


def test_every_sample_of_the_language_compiles_beside_the_registry_of_its_page(tmp_path: Path) -> None:
    blocks = samples(text_of("language.md"))
    kinds = [parse(Source("sample.akm", block)).kind for block in blocks]
    assert set(kinds) == {"workflow", "registry", "lifecycle"}
    registry = "\n".join(block for block, kind in zip(blocks, kinds, strict=True) if kind == "registry")
    for block in blocks:
        named = re.match(r"workflow (\S+)", block)
        if named is not None:
            (tmp_path / f"{named[1]}.akm").write_text(block, encoding="utf-8")  # one of them runs another
    for block in blocks:
        beside = Source(str(tmp_path / "registry.akm"), registry)
        found = findings_of(Source(str(tmp_path / "sample.akm"), block), beside)
        # The page's scripts are not there to be pinned; nothing else may be found.
        assert {each.code for each in found} <= {"AKM5008"}, block


def test_every_code_that_the_language_page_names_exists() -> None:
    named = set(re.findall(r"AKM\d{4}", text_of("language.md")))
    assert named
    assert named <= {rule.code for rule in all_rules()}


def test_every_code_can_be_explained_in_any_case() -> None:
    for rule in all_rules():
        assert explained(rule.code.lower()).startswith(f"### {rule.code}: {rule.title}")


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_published_schema_is_made_from_its_model(name: SchemaName) -> None:
    assert published_schema(name) == SCHEMAS[name](), "run: python -m akmc.schemas"
