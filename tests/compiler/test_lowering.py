"""A tree becomes the document that the models describe, and every part of it knows where it was written."""

import pytest

from akm_specs.canonical import Json, JsonObject
from akm_specs.reader import read
from akmc.diagnostic import CompileFailed
from akmc.document import Workflow
from akmc.lower_registry import lower_registry
from akmc.lower_workflow import lower_workflow
from akmc.lowered import Lowered
from akmc.parse import parse
from akmc.registry import Registry
from akmc.source import Source


def workflow(body: str) -> Lowered:
    return lower_workflow(parse(Source("a.akm", f'workflow w "t" {{\n{body}\n}}\n')))


def step(kind: str, body: str = "") -> JsonObject:
    lowered = workflow(f"step s: {kind} {{\n{body}\n}}")
    assert not read(Workflow, lowered.document)[1]
    (found,) = lowered.document["steps"]
    assert isinstance(found, dict)
    assert found.pop("name") == "s"
    return found


def param(text: str) -> JsonObject:
    (found,) = workflow(f"param p: {text}").document["params"]
    assert isinstance(found, dict)
    return found


def value(text: str) -> JsonObject:
    found = step("exec t", f"with {{ v: {text} }}")["input"]["members"]["v"]
    assert isinstance(found, dict)
    return found


def refusals(body: str) -> list[tuple[str, str]]:
    """Code and marked text of each finding."""
    with pytest.raises(CompileFailed) as refused:
        workflow(body)
    return [
        (found.code, found.source.text[found.span.start : found.span.end]) for found in refused.value.diagnostics
    ]


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("exec t", "", {"kind": "exec", "tool": "t"}),
        ("gate t", "expect fail", {"kind": "gate", "tool": "t", "expect": "fail"}),
        ('gate artifacts_exist ["a", "b"]', "", {"kind": "gate", "artifacts": ["a", "b"]}),
        (
            "gate schema x.output.y is int",
            "",
            {
                "kind": "gate",
                "value": {"reference": {"root": "output", "name": "x", "path": ["y"]}},
                "type": {"type": "integer"},
            },
        ),
        ("agent a", 'prompt "p"', {"kind": "agent", "agent": "a", "prompt": "p"}),
        ("approval", "by alice", {"kind": "approval", "by": ["alice"]}),
        ("approval", "by [alice, leads]", {"kind": "approval", "by": ["alice", "leads"]}),
        ("wait signal go", "output number", {"kind": "wait", "signal": "go", "output": {"type": "number"}}),
        ("wait 1h30m", "", {"kind": "wait", "span_ms": 5_400_000}),
        (
            "route params.os",
            'when "linux" -> a max 2, when 3 -> b, when false -> c, otherwise -> failed',
            {
                "kind": "route",
                "value": {"root": "params", "name": "os", "path": []},
                "branches": [
                    {"when": "linux", "target": "a", "maximum": 2},
                    {"when": 3, "target": "b"},
                    {"when": False, "target": "c"},
                    {"when": None, "target": "failed"},
                ],
            },
        ),
    ],
)
def test_each_kind_of_step_is_lowered(kind: str, body: str, expected: JsonObject) -> None:
    assert step(kind, body) == expected


@pytest.mark.parametrize(
    ("clause", "member", "expected"),
    [
        ("attempts 3", "attempts", 3),
        ("timeout 500ms", "timeout_ms", 500),
        ("on passed -> b max 2", "on", [{"outcome": "passed", "target": "b", "maximum": 2}]),
        ("retry 2 on timeout, spawn_failed", "retry", {"count": 2, "on": ["timeout", "spawn_failed"]}),
        ("recover 4", "recoveries", 4),
        ("exit 3 -> a, exit 4 -> b", "exits", [{"code": 3, "outcome": "a"}, {"code": 4, "outcome": "b"}]),
        ("evidence w: artifact", "evidence", [{"name": "w", "kind": "artifact"}]),
        ("output file", "output", {"type": "string", "format": "akm-file"}),
    ],
)
def test_each_clause_is_lowered(clause: str, member: str, expected: Json) -> None:
    assert step("exec t", clause)[member] == expected


def test_what_is_left_out_is_absent() -> None:
    assert workflow("step s: exec t {}").document == {
        "schema": "akm.document.v1",
        "name": "w",
        "title": "t",
        "steps": [{"name": "s", "kind": "exec", "tool": "t"}],
    }


def test_limits_are_in_the_units_of_their_names() -> None:
    body = "limits { transitions 9, duration 2d, units 3, tokens 5, cost 0.50 USD }"
    assert workflow(body).document["limits"] == {
        "transitions": 9,
        "duration_ms": 172_800_000,
        "units": 3,
        "tokens": 5,
        "cost_microdollars": 500_000,
    }


def test_references_are_read_alone_and_in_a_list() -> None:
    one = {"root": "output", "name": "a", "path": ["b", 3, "c"]}
    other = {"root": "params", "name": "p", "path": []}
    assert step("approval", "reads a.output.b[3].c")["reads"] == [one]
    assert step("approval", "reads [a.output.b[3].c, params.p]")["reads"] == [one, other]


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("string", {"type": "string"}),
        (r'string matching "^\d+$" max 9', {"type": "string", "pattern": r"^\d+$", "maxLength": 9}),
        ("int", {"type": "integer"}),
        ("int -3..4", {"type": "integer", "minimum": -3, "maximum": 4}),
        ("number", {"type": "number"}),
        ("boolean", {"type": "boolean"}),
        ("file", {"type": "string", "format": "akm-file"}),
        ("list of int", {"type": "array", "items": {"type": "integer"}, "maxItems": 10_000}),
        (
            "list max 2 of string max 3",
            {"type": "array", "items": {"type": "string", "maxLength": 3}, "maxItems": 2},
        ),
        ('one of ["b", "a"]', {"enum": ["b", "a"]}),
        (
            "{ b: int, a: int, c?: int }",
            {
                "type": "object",
                "properties": {"b": {"type": "integer"}, "a": {"type": "integer"}, "c": {"type": "integer"}},
                "required": ["a", "b"],
                "additionalProperties": False,
            },
        ),
        ("{}", {"type": "object", "properties": {}, "required": [], "additionalProperties": False}),
    ],
)
def test_a_type_becomes_a_json_schema(text: str, schema: JsonObject) -> None:
    assert param(text) == {"name": "p", "type": schema}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("null", None),
        ("-7", -7),
        ("1.5e3", 1500.0),
        ('"x"', "x"),
        ('[1, "a", { k: true, "odd key": [] }]', [1, "a", {"k": True, "odd key": []}]),
    ],
)
def test_a_default_is_plain_json(text: str, expected: Json) -> None:
    found = param(f"string = {text}")
    assert (found["default"], found["has_default"]) == (expected, True)
    assert type(found["default"]) is type(expected)


def test_a_value_holds_references_beside_literals() -> None:
    assert value('[1, a.output, { k: "x" }]') == {
        "items": [
            {"literal": 1},
            {"reference": {"root": "output", "name": "a", "path": []}},
            {"members": {"k": {"literal": "x"}}},
        ]
    }


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r'"^\d+$"', r"^\d+$"),
        (r'"say \"so\""', 'say "so"'),
        (r'"a\\b"', r"a\b"),
        (r'"\\\\"', r"\\"),
        (r'"\n"', r"\n"),
        ('""', ""),
        ('"# no comment, {no} [brackets]"', "# no comment, {no} [brackets]"),
        ('"""one"""', "one"),
        ('"""\n    one\n      two\n\n    three\n  """', "one\n  two\n\nthree\n"),
        ('"""\n    \\d "quoted" ""\n    """', '\\d "quoted" ""\n'),
        ('"""  \n  one"""', "one"),
        ('""""""', ""),
    ],
)
def test_a_text_says_what_stands_in_it(written: str, meant: str) -> None:
    assert value(written) == {"literal": meant}


def test_a_text_block_is_the_same_with_any_line_end() -> None:
    text = 'workflow w "t" {\nstep s: agent a { prompt """\n  one\n  two\n  """ }\n}'
    unix, dos = (lower_workflow(parse(Source("a", text.replace("\n", end)))).document for end in ("\n", "\r\n"))
    assert unix == dos


def test_a_registry_is_lowered() -> None:
    text = """
    tool t {
      argv ["./t.sh", "-v"], effect read_only, timeout 10m, receipt ["./r.sh"]
      env [PYPI_TOKEN, "_X"], directory "sub", output_max 8MiB
    }
    tool bare { argv ["x"] }
    agent a { tool t, model "deep", provider "p" }
    group leads [alice, bob]
    """
    document = lower_registry(parse(Source("registry.akm", text))).document
    assert not read(Registry, document)[1]
    assert document == {
        "tools": [
            {
                "name": "t",
                "argv": ["./t.sh", "-v"],
                "effect": "read_only",
                "timeout_ms": 600_000,
                "receipt": ["./r.sh"],
                "env": ["PYPI_TOKEN", "_X"],
                "directory": "sub",
                "output_bytes_max": 8 * 1024 * 1024,
            },
            {"name": "bare", "argv": ["x"]},
        ],
        "agents": [{"name": "a", "tool": "t", "model": "deep", "provider": "p"}],
        "groups": [{"name": "leads", "members": ["alice", "bob"]}],
    }


def test_a_place_leads_to_the_text_that_states_it() -> None:
    clauses = "on passed -> b max 2, with { k: params.p }, output { f: int }"
    lowered = workflow(f"param p: string\nstep s: exec t {{ {clauses} }}")
    expected = {
        ("name",): "w",
        ("title",): '"t"',
        ("params", 0, "type"): "string",
        ("steps", 0, "name"): "s",
        ("steps", 0, "tool"): "t",
        ("steps", 0, "on", 0): "on passed -> b max 2",
        ("steps", 0, "on", 0, "target"): "b",
        ("steps", 0, "input", "members", "k", "reference"): "params.p",
        ("steps", 0, "input", "members", "k", "reference", "name"): "params.p",
        ("steps", 0, "output", "properties", "f"): "int",
        ("steps", 0, "output", "properties", "f", "type"): "int",
    }
    found = {place: lowered.source.text[lowered.span(place).start : lowered.span(place).end] for place in expected}
    assert found == expected
    assert lowered.span(("nowhere",)) == lowered.span(())


@pytest.mark.parametrize(
    ("body", "code", "marked"),
    [
        ("limits { units 1 }\nlimits { units 2 }", "AKM0006", "limits { units 2 }"),
        ("limits { units 1, units 2 }", "AKM0006", "units 2"),
        ("step s: exec t { attempts 1, attempts 1 }", "AKM0006", "attempts 1"),
        ("step s: exec t { with { a: 1, b: 2, a: 3 } }", "AKM0006", "a"),
        ('step s: exec t { with { a: 1, "a": 3 } }', "AKM0006", '"a"'),
        ("param p: { a: int, a: string }", "AKM0006", "a"),
        ('param p: one of ["a", "a"]', "AKM0006", '"a"'),
        ("step s: exec t { with { a: 9007199254740992 } }", "AKM0007", "9007199254740992"),
        ("step s: exec t { with { a: 1e999 } }", "AKM0007", "1e999"),
        ("step s: exec t { timeout 104249991375d }", "AKM0007", "104249991375d"),
        ("limits { cost 0.0000001 USD }", "AKM0007", "0.0000001 USD"),
        ("step s: approval { reads a.outputs }", "AKM0008", "a.outputs"),
        ("step s: approval { reads params }", "AKM0008", "params"),
        ("step s: approval { reads params[0] }", "AKM0008", "params[0]"),
        ("step s: approval { reads a }", "AKM0008", "a"),
        ("param p: int 3..2", "AKM0009", "int 3..2"),
        ("param p: one of []", "AKM0009", "one of []"),
    ],
)
def test_what_cannot_be_meant_is_refused_where_it_stands(body: str, code: str, marked: str) -> None:
    assert refusals(body) == [(code, marked)]


@pytest.mark.parametrize(
    "body",
    [
        "step s: exec t { attempts " + "9" * 900_000 + " }",
        "step s: exec t { timeout " + "9h" * 400_000 + " }",
        "step s: exec t { with { a: " + "9" * 5_000 + " } }",
        "limits { cost " + "9" * 5_000 + " USD }",
        "step s: approval { reads a.output[" + "9" * 5_000 + "] }",
    ],
    ids=["count", "span", "value", "money", "index"],
)
def test_a_number_of_any_length_is_answered(body: str) -> None:
    assert [code for code, _ in refusals(body)] == ["AKM0007"]


def test_all_findings_are_reported_together() -> None:
    body = "param p: int 3..2\nstep s: exec t { attempts 1, attempts 2, with { a: b } }"
    assert [code for code, _ in refusals(body)] == ["AKM0009", "AKM0006", "AKM0008"]
