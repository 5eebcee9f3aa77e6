"""What nothing uses of a registry is found where the whole folder is looked at, and nowhere else."""

from pathlib import Path

import pytest

from akmc.lint import lint
from akmc.source import Source
from akmc.walk import sources_under

REGISTRY = """
tool build { argv ["make"] }
tool idle { argv ["idle"] }
tool model { argv ["model"] }
tool other { argv ["other"] }
agent coder { tool model, scope { read [site] } }
agent nobody { tool other }
agent critic { tool model }
group leads [alice]
group others [bob]
repository site { directory "site" }
repository docs { directory "docs" }
defaults { judge critic }
"""
WORKFLOW = """workflow w "T" {
  step build: exec build { on passed -> mend }
  step mend: agent coder { prompt "Mend it.", on passed -> ask }
  step ask: approval { by leads, timeout 1h, on passed -> completed, on rejected -> failed, on expired -> failed }
}
"""
IDLING = 'workflow x "T" { step s: exec idle { on passed -> completed } }'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "registry.akm").write_text(REGISTRY, encoding="utf-8")
    (tmp_path / "w.akm").write_text(WORKFLOW, encoding="utf-8")
    return tmp_path


def unused(*paths: Path, registry: Source | None = None) -> list[str]:
    findings = lint(sources_under([str(path) for path in paths]), registry).findings
    return [found.message.split("`")[1] for found in findings if found.code == "AKM5020"]


def test_what_no_source_of_the_folder_names_is_not_used(folder: Path) -> None:
    assert unused(folder) == ["idle", "other", "nobody", "others", "docs"]


def test_a_source_below_the_folder_counts_too(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "x.akm").write_text(
        'workflow x "T" { step s: exec idle { on passed -> completed } }', "utf-8"
    )
    assert "idle" not in unused(folder)


def test_of_a_part_of_the_folder_nothing_is_concluded(folder: Path) -> None:
    (folder / "x.akm").write_text(IDLING, encoding="utf-8")
    assert unused(folder / "w.akm", folder / "registry.akm") == []
    assert unused(folder / "registry.akm") == []


def test_a_registry_that_no_workflow_stands_beside_is_for_others(folder: Path) -> None:
    (folder / "w.akm").unlink()
    assert unused(folder) == []


def test_where_another_registry_is_named_nothing_is_concluded(folder: Path) -> None:
    assert unused(folder, registry=Source.read(folder / "registry.akm")) == []
