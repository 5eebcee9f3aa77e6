"""Rules about panels beyond their own examples: which numbers, joins and pools go together."""

from collections.abc import Callable
from typing import Any

import pytest

FindingsOf = Callable[..., Any]

REGISTRY = """
tool model { argv ["model"], effect read_only, reject 7 -> rate_limited }
tool paid { argv ["paid"], effect external_idempotent, receipt ["asked"] }
agent north { tool model, model "deep", provider "north" }
agent south { tool model, model "wide", provider "south" }
agent east { tool paid, provider "south" }
"""


def codes(found: Any) -> list[str]:
    return [each.code for each in found]


def panel(assign: str, *clauses: str, after: str = "") -> str:
    stated = "\n".join(("assign " + assign, 'prompt "Is it sound?"', *clauses))
    return f"""workflow w "T" {{
      step ask: panel {{
        {stated}
        on passed -> completed
        on quorum_not_met -> failed
      }}
      {after}
    }}"""


@pytest.mark.parametrize(
    ("assign", "expected"),
    [
        ("2 of [north, south]", []),
        ("1..2 of [north, south]", []),
        ("1 of [north, south] { maximum 2 }", []),
        ("1 of [north] { maximum 3 }", []),
        ("2..1 of [north, south]", ["AKM3012", "AKM3020"]),
        ("1..2 of [north, south] { maximum 1 }", ["AKM3012", "AKM3020"]),
        ("2 of [north, south] { parallel 3 }", ["AKM3012"]),
        ("3 of [north, south]", ["AKM3013"]),
        ("1 of [north, south]", ["AKM3020"]),
        ("2 of [north, north]", ["AKM2022"]),
        ("2 of [north, west]", ["AKM2011"]),
        ("0 of [north]", ["AKM1002"]),
        ("1 of []", ["AKM1003"]),
    ],
)
def test_a_panels_numbers_and_its_pool_go_together(findings: FindingsOf, assign: str, expected: list[str]) -> None:
    assert sorted(codes(findings(panel(assign), REGISTRY))) == expected


@pytest.mark.parametrize(
    ("join", "expected"),
    [
        ("all", []),
        ("settled pass 2", []),
        ("settled pass 1", []),
        ("quorum 1 then cancel", []),
        ("quorum pass 2", []),
        ("settled", ["AKM3015"]),
        ("quorum", ["AKM3015"]),
        ("all pass 2", ["AKM3015"]),
        ("all then drain", ["AKM3015"]),
        ("settled pass 2 then cancel", ["AKM3015"]),
        ("quorum 3", ["AKM3014"]),
        ("quorum 0", ["AKM1002"]),
        ("first", ["AKM3016"]),
        ("most", ["AKM1004"]),
        ("quorum 1 then stop", ["AKM1004"]),
    ],
)
def test_a_join_can_hold_and_says_no_more_than_it_means(
    findings: FindingsOf, join: str, expected: list[str]
) -> None:
    assert codes(findings(panel("2 of [north, south]", f"join {join}"), REGISTRY)) == expected


def test_no_more_can_pass_than_are_assigned_at_once(findings: FindingsOf) -> None:
    text = panel("1..2 of [north, south, east] { maximum 3 }", "join quorum 3")
    assert codes(findings(text, REGISTRY)) == ["AKM3014"]


@pytest.mark.parametrize(
    ("distinct", "agents", "expected"),
    [
        ("provider", "[north, south]", []),
        ("agent", "[north, south]", []),
        ("model", "[north, south]", []),
        ("provider, model", "[north, south]", []),
        ("tool", "[north, east]", []),
        ("tool", "[north, south]", ["AKM3018"]),
        ("provider", "[south, east]", ["AKM3018"]),
        ("model", "[north, east]", ["AKM3018"]),
        ("provider, tool", "[south, east]", ["AKM3018"]),
        ("provider, provider", "[north, south]", ["AKM2022"]),
        ("price", "[north, south]", ["AKM1004"]),
    ],
)
def test_what_agents_differ_in_the_registry_tells(
    findings: FindingsOf, distinct: str, agents: str, expected: list[str]
) -> None:
    assert codes(findings(panel(f"2 of {agents} {{ distinct {distinct} }}"), REGISTRY)) == expected


def test_whoever_stands_in_differs_too(findings: FindingsOf) -> None:
    again = panel("2 of [north, south] { maximum 3, distinct agent }")
    (found,) = findings(again, REGISTRY)
    assert (found.code, "asked twice" in found.message) == ("AKM3018", True)


@pytest.mark.parametrize(
    "review",
    [
        panel("2 of [north, south] { distinct agent }", "join first", "safe to speculate"),
        panel(
            "2 of [north, south]",
            "join first",
            "safe to speculate",
            "evidence e: result { by [north, south], producers 1 }",
        ),
        panel("2 of [north, south]", "join first", "safe to speculate")
        .replace("-> completed", "-> then")
        .rstrip("}")
        + "step then: wait 1s { on passed -> completed }\nrequire then reaches completed only through ask }",
    ],
)
def test_one_answer_is_no_review(findings: FindingsOf, review: str) -> None:
    assert codes(findings(review, REGISTRY)) == ["AKM3017"]


def test_speculation_is_for_the_first_answer_alone(findings: FindingsOf) -> None:
    assert codes(findings(panel("2 of [north, south]", "safe to speculate"), REGISTRY)) == ["AKM3016"]
    assert codes(findings(panel("2 of [north, south]", "join first", "safe to speculate"), REGISTRY)) == []


def test_a_panel_may_have_words_of_its_own_but_none_of_the_engines(findings: FindingsOf) -> None:
    own = panel("2 of [north, south]", "on unsure -> failed")
    assert codes(findings(own, REGISTRY)) == []
    assert codes(findings(panel("2 of [north, south]", "on expired -> failed"), REGISTRY)) == ["AKM2007"]


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("ask.output", []),
        ("ask.output[1]", []),
        ("ask.output[2]", ["AKM4004"]),
        ("ask.output[0].sound", ["AKM4006"]),
        ("ask.output[0].round", ["AKM4004"]),
    ],
)
def test_a_panel_puts_out_a_list_whose_slots_may_be_null(
    findings: FindingsOf, reference: str, expected: list[str]
) -> None:
    text = f"""workflow w "T" {{
      step ask: panel {{
        assign 2 of [north, south]
        prompt "Is it sound?"
        output {{ sound: boolean }}
        on passed -> use
        on quorum_not_met -> failed
      }}
      step use: exec paid {{ with {{ answer: {reference} }}, on passed -> completed }}
    }}"""
    assert codes(findings(text, REGISTRY)) == expected


def test_attempts_are_said_once(findings: FindingsOf) -> None:
    twice = panel("2 of [north, south] { attempts 2 }", "retry 1 on timeout")
    assert codes(findings(twice, REGISTRY)) == ["AKM3019"]


def test_an_exit_code_by_which_a_tool_refuses_is_no_outcome(findings: FindingsOf) -> None:
    text = 'workflow w "T" { step s: exec model { exit %d -> busy, on passed -> completed, on busy -> failed } }'
    assert codes(findings(text % 7, REGISTRY)) == ["AKM2006"]
    assert codes(findings(text % 8, REGISTRY)) == []
