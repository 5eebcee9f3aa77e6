"""Where we are stricter than the formats that people bring: the page's table is what happens."""

import re
from pathlib import Path

import pytest

from akmc.lint import findings_of
from akmc.rules.rule import EXAMPLE_REGISTRY
from akmc.source import Source

ROOT = Path(__file__).parents[2]
with_page = pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="about the checkout's page")

_REGISTRY = (
    EXAMPLE_REGISTRY
    + """\
agent thinker { tool model, model "deep" }
tool editor { argv ["edit"], effect workspace_mutation }
agent writer { tool editor }
defaults { agent coder, judge coder }
"""
)

_DONE = "{target: $terminal, terminalStatus: completed}"


def kxm(step: str = "", *, head: str = "", on: str = f"passed: {_DONE}") -> str:
    check = f"  - id: check\n    kind: gate\n    gate: check\n{step}    on:\n      {on}\n"
    return f"schema: kxm.workflow.v1\n{head}steps:\n{check}"


def agent(step: str, *, head: str = "", on: str = f"passed: {_DONE}") -> str:
    work = f"  - id: it\n    kind: agent\n    agent: coder\n{step}    on:\n      {on}\n"
    return f"schema: kxm.workflow.v1\n{head}steps:\n{work}"


def markdown(steps: str, *, head: str = "", sections: str = "## a\nDo a.\n") -> str:
    return f"---\n{head}steps:\n{steps}---\n{sections}"


_AFTER = f"  - {{id: IT, kind: agent, agent: coder, on: {{passed: {_DONE}}}}}\n"

EXAMPLES: dict[str, str] = {
    "kxm-tag": kxm().replace("gate: check", "gate: !!str check"),
    "kxm-directive": "%YAML 1.2\n---\n" + kxm(),
    "kxm-byte-order-mark": "\ufeff" + kxm(),
    "kxm-line-end": kxm().replace("kind: gate", "kind: gate # one\r    gate"),
    "kxm-separator": kxm("    description: one\u2028two\n"),
    "kxm-terminal-name": kxm(on="passed: completed") + _AFTER.replace("IT", "completed"),
    "kxm-no-time": kxm("    timeoutMs: 0\n"),
    "kxm-currency": kxm(head="limits: {maxModelCost: 5, currency: EUR}\n"),
    "kxm-false-completion": kxm(on=f"passed: {_DONE}\n      blocked: {_DONE}"),
    "kxm-unreachable": kxm(on=f"passed: {_DONE}\n      blocked: later") + _AFTER.replace("IT", "later"),
    "kxm-no-end": kxm(head="limits: {maxTransitions: 1}\n", on="passed: later") + _AFTER.replace("IT", "later"),
    "kxm-receipt": kxm("    requiredEvidence: [{key: sent, kind: receipt}]\n"),
    "kxm-model": kxm()
    .replace("kind: gate", "kind: agent")
    .replace("gate: check", "agent: thinker\n    model: {tag: wide}"),
    "kxm-device": kxm(on="passed: con") + _AFTER.replace("IT", "con"),
    "kxm-evidence": agent("    requiredEvidence: [{key: seen, kind: assignment-result, minimum: 9}]\n"),
    "kxm-first": agent(
        "    assignments: {allowedAgents: [coder, thinker], target: 2, distinctBy: [model]}\n"
        "    join: {strategy: first-success}\n    safeSpeculation: true\n"
    ),
    "kxm-scope": agent("    tools: {allow: [shell]}\n"),
    "kxm-pin": agent(
        "    requiredEvidence: [{key: plan, kind: assignment-result}]\n",
        head="planHash: {stageId: it, evidenceKey: plan}\nrequirePlanHash: [later]\n",
        on="passed: later\n      failed: later",
    )
    + _AFTER.replace("IT", "later"),
    "markdown-exec": markdown("  - id: a\n    unit: {exec: {command: [ls]}}\n"),
    "markdown-name": markdown("  - id: _a\n", sections="## _a\nDo it.\n"),
    "markdown-between": markdown(
        "  - id: a\n"
        "  - id: r\n    route: {input: steps.a.output, when: [{match: x, step: c}]}\n"
        "  - id: b\n  - id: c\n",
        sections="## a\nA.\n## b\nB.\n## c\nC.\n",
    ),
    "markdown-schema": markdown("  - id: a\n    output: {type: object, kind: strict}\n"),
    "markdown-otherwise": markdown(
        "  - id: a\n"
        "  - id: r\n    route: {input: steps.a.output, when: [{match: otherwise, step: b}]}\n"
        "  - id: b\n",
        sections="## a\nA.\n## b\nB.\n",
    ),
    "markdown-skipped": markdown(
        "  - id: a\n"
        "  - id: r\n    route: {input: steps.a.output, when: [{match: x, step: b}], default: c}\n"
        "  - id: b\n  - id: c\n    inputs: [steps.b.output]\n",
        sections="## a\nA.\n## b\nB.\n## c\nC.\n",
    ),
    "markdown-default": markdown("  - id: a\n", head="params: {n: {type: integer, default: many}}\n"),
    "markdown-match": markdown(
        "  - id: a\n    output: {enum: [x, y]}\n"
        "  - id: r\n    route: {input: steps.a.output, when: [{match: z, step: b}], default: b}\n"
        "  - id: b\n",
        sections="## a\nA.\n## b\nB.\n",
    ),
    "markdown-retry": markdown("  - id: a\n    unit: {engine: writer, retry: {max: 1, on: [timeout]}}\n"),
}


def rows() -> dict[str, str]:
    """The differences that the page lists: name -> the code of what we find."""
    page = (ROOT / "docs" / "reference" / "front-ends.md").read_text(encoding="utf-8")
    marked = re.search(r"<!-- differences:.*?-->\n(.*?)<!-- end of differences -->", page, flags=re.DOTALL)
    assert marked is not None
    return dict(
        re.findall(r"^\| ((?:kxm|markdown)-[\w-]+) \|.*\| (AKM\d{4}) \|[^|]*\|$", marked[1], flags=re.MULTILINE)
    )


@with_page
def test_the_page_lists_each_difference_that_is_tried_here_and_no_other() -> None:
    assert rows().keys() == EXAMPLES.keys()


@with_page
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_difference_is_what_the_page_says(name: str) -> None:
    source = Source("absent/x.yaml" if name.startswith("kxm") else "absent/x.md", EXAMPLES[name])
    found = findings_of(source, Source("absent/registry.akm", _REGISTRY))
    assert rows()[name] in {each.code for each in found if each.severity == "error"}, found


@pytest.mark.parametrize("suffix", [".yaml", ".md"])
def test_without_the_difference_the_same_text_is_accepted(suffix: str) -> None:
    text = kxm() if suffix == ".yaml" else markdown("  - id: a\n")
    found = findings_of(Source(f"absent/x{suffix}", text), Source("absent/registry.akm", _REGISTRY))
    assert not [each for each in found if each.severity == "error"]
