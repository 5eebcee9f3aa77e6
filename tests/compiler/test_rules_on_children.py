"""Child workflows and deliveries: what a parent gives, what it takes, and how deep it goes."""

from pathlib import Path

import pytest

from akm_specs.nesting import DEPTH_MAX
from akm_specs.plan import PLAN_BYTES_MAX
from akmc.document import TEXT_LENGTH_MAX
from akmc.lint import findings_of
from akmc.rules.rule import EXAMPLE_REGISTRY
from akmc.source import Source

CHILD = """workflow child "A child" {
  param level: string max 5
  param jobs: int 1..4 = 2
  param tags: list max 3 of string = []
  step build: exec build {
    with { level: params.level, jobs: params.jobs, tags: params.tags }
    output { wheel: file, notes?: string }
    on passed -> ask
  }
  step ask: panel {
    assign 2 of [critic_a, critic_b]
    prompt "Is it sound?"
    output { sound: boolean }
    on passed -> completed
    on quorum_not_met -> failed
  }
}
"""
RUNNING = """workflow parent "Runs another" {
  param count: int
  param words: list of string
  param either: one of ["1", "2"]
  step run: workflow "child.akm" {
    %s
    on completed -> use
    on cancelled -> cancelled
  }
  step use: exec build {
    with { count: params.count, words: params.words, either: params.either }
    on passed -> completed
  }
}
"""


def findings(folder: Path, text: str, name: str = "parent.akm") -> list[str]:
    (folder / "registry.akm").write_text(EXAMPLE_REGISTRY, encoding="utf-8")
    source = Source(str(folder / name), text)
    return [found.code for found in findings_of(source, Source.read(folder / "registry.akm"))]


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ('with { level: "a" }', []),
        ('with { level: "a", jobs: 4, tags: ["x", params.either] }', []),
        ("with { level: params.either, tags: params.words }", []),
        ('with { level: "a" }, output { build: { wheel: file }, ask: list of any }', []),
        ("", ["AKM2028"]),
        ('with { levle: "a" }', ["AKM2029"]),
        ('with { level: "a", color: "red" }', ["AKM2029"]),
        ("with { level: 1 }", ["AKM4023"]),
        ('with { level: "too long" }', ["AKM4023"]),
        ('with { level: "a", jobs: 5 }', ["AKM4023"]),
        ("with { level: params.count }", ["AKM4023"]),
        ('with { level: "a", jobs: params.either }', ["AKM4023"]),
        ('with { level: "a", tags: ["1", "2", "3", "4"] }', ["AKM4023"]),
        ('with { level: "a", tags: [params.count] }', ["AKM4023"]),
        ("with { level: { a: 1 } }", ["AKM4023"]),
        ('with { level: "a" }, output { bild: { wheel: file } }', ["AKM2030"]),
        ('with { level: "a" }, output { build: string }', ["AKM2030"]),
        ('with { level: "a" }, output { build: { wheels: file } }', ["AKM2030"]),
        ('with { level: "a" }, output { ask: { sound: boolean } }', ["AKM2030"]),
        ('with { level: "a" }, output string', ["AKM2030"]),
        ('with { level: "a" }, timeout 1h', ["AKM2009"]),
        ('with { level: "a" }, gate { judge critic_a, rubric "r" }', ["AKM4016"]),
    ],
)
def test_a_child_is_called_by_its_parameters_and_its_steps(
    tmp_path: Path, clauses: str, expected: list[str]
) -> None:
    (tmp_path / "child.akm").write_text(CHILD, encoding="utf-8")
    assert findings(tmp_path, RUNNING % clauses) == expected


def nested(name: str) -> str:
    lines = "on completed -> completed, on cancelled -> cancelled"
    return f'workflow w "Runs another" {{ step run: workflow "{name}" {{ {lines} }} }}'


def chain(folder: Path, length: int) -> str:
    """The outermost of `length` workflows that are nested in one another."""
    for at in range(1, length):
        inner = (
            nested(f"w{at + 1}.akm")
            if at + 1 < length
            else 'workflow w "Ends" { step s: wait 1s { on passed -> completed } }'
        )
        (folder / f"w{at}.akm").write_text(inner, encoding="utf-8")
    return nested("w1.akm")


def test_workflows_nest_so_deep_and_no_deeper(tmp_path: Path) -> None:
    assert findings(tmp_path, chain(tmp_path, DEPTH_MAX)) == []
    assert findings(tmp_path, chain(tmp_path, DEPTH_MAX + 1)) == ["AKM2027"]


def test_no_workflow_runs_itself_by_whatever_path(tmp_path: Path) -> None:
    assert findings(tmp_path, nested("parent.akm")) == ["AKM2026"]
    assert findings(tmp_path, nested(f"../{tmp_path.name}/parent.akm")) == ["AKM2026"]
    (tmp_path / "other.akm").write_text(nested("parent.akm"), encoding="utf-8")
    (tmp_path / "parent.akm").write_text(nested("other.akm"), encoding="utf-8")
    assert findings(tmp_path, nested("other.akm")) == ["AKM2026"]


@pytest.mark.parametrize("path", ["absent.akm", ".", "/etc/hosts", "C:/child.akm", "\\\\host\\child.akm"])
def test_what_cannot_be_read_alike_everywhere_is_no_child(tmp_path: Path, path: str) -> None:
    assert findings(tmp_path, nested(path.replace("\\", "\\\\"))) == ["AKM2025"]


def test_what_is_wrong_in_a_child_is_told_about_the_child(tmp_path: Path) -> None:
    (tmp_path / "child.akm").write_text(CHILD.replace("-> ask", "-> asks"), encoding="utf-8")
    source = Source(str(tmp_path / "parent.akm"), nested("child.akm"))
    (found,) = findings_of(source, Source(str(tmp_path / "registry.akm"), EXAMPLE_REGISTRY))
    assert (found.code, Path(found.path).name) == ("AKM2003", "child.akm")


def test_a_plan_that_nobody_would_read_is_not_made(tmp_path: Path) -> None:
    text = "x" * (TEXT_LENGTH_MAX - 2)
    steps = "\n".join(
        f'step s{at}: agent coder {{ prompt "{text}", on passed -> {f"s{at + 1}" if at < 14 else "completed"} }}'
        for at in range(15)
    )
    count = PLAN_BYTES_MAX // (15 * TEXT_LENGTH_MAX) + 1
    for at in range(count):
        (tmp_path / f"c{at}.akm").write_text(f'workflow c{at} "Long" {{ {steps} }}', encoding="utf-8")
    children = "\n".join(
        f'step c{at}: workflow "c{at}.akm" {{ on cancelled -> failed, '
        f"on completed -> {f'c{at + 1}' if at < count - 1 else 'completed'} }}"
        for at in range(count)
    )
    assert findings(tmp_path, f'workflow all "All of them" {{ {children} }}') == ["AKM3025"]


@pytest.mark.parametrize(
    ("repositories", "clauses", "expected"),
    [
        ("site", "", []),
        ("[site]", f'with {{ site: "{"0a" * 20}" }}, remediate 2, retry 1 on timeout, timeout 1m', []),
        ("[site]", "with { site: params.commit }", []),
        ("[sites]", "", ["AKM2011"]),
        ("[site, site]", "", ["AKM2022"]),
        ("[]", "", ["AKM1003"]),
        ("[site]", "with { docs: params.commit }", ["AKM2031"]),
        ("[site]", 'with { site: "main" }', ["AKM4023"]),
        ("[site]", "with { site: 7 }", ["AKM4023"]),
        ("[site]", "remediate 11", ["AKM1002"]),
    ],
)
def test_a_delivery_names_repositories_and_exact_commits(
    tmp_path: Path, repositories: str, clauses: str, expected: list[str]
) -> None:
    text = f"""workflow w "T" {{
      param commit: string
      step note: exec build {{ with {{ commit: params.commit }}, on passed -> deliver }}
      step deliver: deliver {repositories} {{
        {clauses}
        on passed -> completed
        on partial -> failed
      }}
    }}"""
    assert findings(tmp_path, text) == expected
