"""Rules about evidence, pins and properties beyond their own examples."""

from collections.abc import Callable
from typing import Any

import pytest

FindingsOf = Callable[..., Any]


def codes(found: Any) -> list[str]:
    return [each.code for each in found]


ENDS = {
    "approval": "by alice, timeout 1h, on rejected -> failed, on expired -> failed,",
    "wait signal go": "timeout 1h, on expired -> failed,",
    "deliver site": "on partial -> failed,",
    "agent coder": 'prompt "p",',
    "panel": 'assign 2 of [critic_a, critic_b], prompt "p", on quorum_not_met -> failed,',
}


def proving(kind: str, evidence: str) -> str:
    return f'workflow w "T" {{ step s: {kind} {{ {ENDS.get(kind, "")} {evidence}, on passed -> completed }} }}'


@pytest.mark.parametrize(
    ("kind", "evidence"),
    [
        ("exec build", "evidence e: result"),
        ("exec upload", "evidence e: receipt"),
        ("exec build", "output { e: file }, evidence e: artifact"),
        ("agent coder", 'gate { judge critic_a, rubric "r" }, evidence e: gate'),
        ("gate check", "evidence e: gate"),
        ('gate artifacts_exist ["a"]', "evidence e: gate"),
        ("approval", "evidence e: approval"),
        ("wait signal go", "evidence e: receipt"),
        ("deliver site", "evidence e: receipt"),
        ("panel", "evidence e: result { min 2, by [critic_a, critic_b], producers 2, degraded 1 }"),
    ],
)
def test_what_a_step_leaves_behind_may_be_asked_for(findings: FindingsOf, kind: str, evidence: str) -> None:
    assert codes(findings(proving(kind, evidence))) == []


@pytest.mark.parametrize(
    ("kind", "evidence", "expected"),
    [
        ("exec build", "evidence e: approval", "AKM4017"),
        ("exec build", "evidence e: gate", "AKM4017"),
        ("approval", "evidence e: result", "AKM4017"),
        ("wait 1s", "evidence e: result", "AKM4017"),
        ('gate artifacts_exist ["a"]', "evidence e: artifact", "AKM4017"),
        ("exec build", "evidence e: proof", "AKM1004"),
        ("exec build", "evidence e: receipt", "AKM4010"),
        ("exec build", "evidence e: artifact", "AKM4011"),
        ("exec build", "evidence e: result { min 2 }", "AKM4018"),
        ("approval", "evidence e: approval { min 2 }", "AKM4018"),
        ("panel", "evidence e: result { min 3 }", "AKM4018"),
        ("deliver site", "evidence e: receipt { min 2 }", "AKM4018"),
        ("panel", "evidence e: result { producers 1 }", "AKM4019"),
        ("panel", "evidence e: result { by [critic_a] }", "AKM4019"),
        ("panel", "evidence e: result { degraded 1 }", "AKM4019"),
        ("panel", "evidence e: result { by [coder], producers 1 }", "AKM4019"),
        ("panel", "evidence e: result { by [critic_a], producers 2 }", "AKM4019"),
        ("panel", "evidence e: result { by [critic_a, critic_b], producers 1, degraded 2 }", "AKM4019"),
        ("exec build", "evidence e: result, evidence E: result", "AKM2001"),
        ("exec build", "evidence e: result { pin }", "AKM4025"),
        ("exec build", "evidence nul: result", "AKM2016"),
    ],
)
def test_what_it_cannot_leave_behind_may_not(findings: FindingsOf, kind: str, evidence: str, expected: str) -> None:
    assert codes(findings(proving(kind, evidence))) == [expected]


PINNED = """workflow w "T" {
  limits { transitions 9 }
  step make: exec build {
    attempts 2
    exit 3 -> partly
    output { wheel: file }
    evidence wheel: artifact { pin }
    on passed -> use
    on partly -> %s
  }
  step use: %s
}"""


@pytest.mark.parametrize(
    ("partly", "use", "expected"),
    [
        ("failed", "exec build { requires pin wheel, on passed -> completed }", []),
        ("failed", "exec build { requires pin wheel, on passed -> completed, on failed -> make max 1 }", []),
        ("use", "exec build { requires pin wheel, on passed -> completed }", ["AKM4022"]),
        ("failed", "exec build { requires pin whell, on passed -> completed }", ["AKM4021"]),
        ("failed", "exec build { requires pin wheel, wheel, on passed -> completed }", ["AKM2022"]),
        ("failed", "wait 1s { requires pin wheel, on passed -> completed }", ["AKM2009"]),
    ],
)
def test_a_pin_is_captured_on_every_path_to_its_use(
    findings: FindingsOf, partly: str, use: str, expected: list[str]
) -> None:
    assert codes(findings(PINNED % (partly, use))) == expected


def test_no_step_requires_what_it_captures_itself(findings: FindingsOf) -> None:
    text = proving("exec build", "output { e: file }, evidence e: artifact { pin }, requires pin e")
    assert codes(findings(text)) == ["AKM4022"]


def stating(*properties: str) -> str:
    return (
        """workflow w "T" {
      step a: exec build { on passed -> b }
      step b: exec build { on passed -> completed }
    """
        + "\n".join(properties)
        + "\n}"
    )


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        (["require a before b", "never a after b", "require b at most 1"], []),
        (["require b reaches completed only through a"], []),
        (["require x before b"], ["AKM2019"]),
        (["never b after x"], ["AKM2019"]),
        (["require x at most 1"], ["AKM2019"]),
        (["require a before a"], ["AKM2020"]),
        (["never a after a"], ["AKM2020"]),
        (["require a reaches completed only through a"], ["AKM2020"]),
        (["require a before b", "require a before b"], ["AKM2021"]),
        (["require a at most 1", "require a at most 2"], ["AKM2021"]),
        (["require a before b", "never b after a"], ["AKM2021"]),
        (["never b after a", "require a before b"], ["AKM2021"]),
        (["require a before b", "require b before a"], ["AKM2021"]),
        (["require a at most 0"], ["AKM1002"]),
    ],
)
def test_properties_name_steps_and_go_together(
    findings: FindingsOf, properties: list[str], expected: list[str]
) -> None:
    own = [code for code in codes(findings(stating(*properties))) if not code.startswith("AKM32")]
    assert own == expected
