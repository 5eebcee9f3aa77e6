"""Steps with a process: what the end of one means, when it is tried again, and which transition it selects."""

from typing import TYPE_CHECKING, Any

import pytest

from akm.kernel.command import AskReceipt, Prepare, StartAttempt
from akm.kernel.observation import StoredFile

if TYPE_CHECKING:
    from tests.executor.conftest import Story, StoryOf

FILE = StoredFile("a" * 64, 3)


def one(step: str) -> str:
    """A workflow of one step."""
    return f"step a: {step.replace(';', chr(10))}"


def started(story: "Story") -> list[str]:
    """The attempts that may start now."""
    return [command.attempt for command in story.pending if isinstance(command, StartAttempt)]


def outcome_of(story: "Story") -> tuple[str, str | None]:
    """Outcome and code of the newest result."""
    return story.results[-1]["outcome"], story.results[-1]["code"]


def test_a_run_is_prepared_before_its_first_step_starts(story_of: "StoryOf") -> None:
    story = story_of(one("exec read { on passed -> completed }"))
    assert story.names[:3] == ["run.create", "run.prepare", "run.start"]
    assert started(story) == ["a#1/1"]


def test_a_run_that_cannot_be_prepared_fails_and_says_why(plan_of: Any, story_of: "StoryOf") -> None:
    story = type(story_of(one("exec read { on passed -> completed }")))(
        plan_of(one("exec read { on passed -> completed }"))
    )
    story.tick()
    assert story.pending == (Prepare(),)
    story.prepared("no make", "no token")
    assert story.state.status == "failed"
    assert story.state.reason is not None
    assert story.state.reason["problems"] == ["no make", "no token"]
    assert "assignment.create" not in story.names


def test_intent_is_recorded_before_a_process_may_start(story_of: "StoryOf") -> None:
    story = story_of(one("exec read { on passed -> completed }"))
    assert story.names[-4:] == ["attempt.create", "effect.create", "assignment.dispatch", "attempt.start"]
    effect = story.state.effects["a#1/1"]
    assert (effect.effect_class, effect.status) == ("read_only", "intent_recorded")


def test_the_end_of_one_step_and_the_intent_of_the_next_are_one_append(story_of: "StoryOf") -> None:
    story = story_of("step a: exec read { on passed -> b }\nstep b: exec read { on passed -> completed }")
    names = [event.name for event in story.ends("a#1/1")]
    assert names.index("assignment.record_result") < names.index("transition.taken") < names.index("attempt.start")


@pytest.mark.parametrize(
    ("clauses", "end", "outcome", "code"),
    [
        ("", {"exit_code": 0}, "passed", None),
        ("", {"exit_code": 1}, "failed", "exit_1"),
        ("", {"exit_code": 3}, "partly", "exit_3"),
        ("", {"exit_code": 9}, "failed", "exit_9"),
        ("", {"exit_code": None, "signal": 9}, "failed", "killed_by_signal_9"),
        ("", {"exit_code": None, "signal": 15, "timed_out": True}, "timed_out", "timed_out"),
        ("", {"exit_code": 0, "timed_out": True}, "timed_out", "timed_out"),
        ("", {"exit_code": 0, "output_lost": True}, "failed", "output_lost"),
        ("", {"exit_code": None, "never_started": "spawn_failed"}, "failed", "spawn_failed"),
        ("", {"exit_code": 0, "truncated": True}, "passed", None),
        ("output int", {"exit_code": 0, "truncated": True, "stdout": b"1"}, "failed", "output_overflow"),
        ("output int", {"exit_code": 0, "stdout": b" 1\n"}, "passed", None),
        ("output int", {"exit_code": 3, "stdout": b"1"}, "partly", "exit_3"),
        ("output int", {"exit_code": 0, "stdout": b'"1"'}, "failed", "output_mismatch"),
        ("output int", {"exit_code": 3, "stdout": b"one"}, "failed", "output_not_json"),
        ("output int", {"exit_code": 0, "stdout": b""}, "failed", "output_not_json"),
        ("output int", {"exit_code": 0, "stdout": b"\xff"}, "failed", "output_not_json"),
        ("output int", {"exit_code": 0, "stdout": b"9" * 30}, "failed", "output_not_json"),
        ("output int", {"exit_code": 0, "stdout": b"9" * 5000}, "failed", "output_not_json"),
        ("output number", {"exit_code": 0, "stdout": b"NaN"}, "failed", "output_not_json"),
        ("output string", {"exit_code": 0, "stdout": b'"\\ud800"'}, "failed", "output_not_json"),
        ("output string", {"exit_code": 0, "stdout": b"[" * 9999}, "failed", "output_not_json"),
    ],
)
def test_the_transport_comes_first_then_output_then_exit_code(
    story_of: "StoryOf", clauses: str, end: dict[str, Any], outcome: str, code: str | None
) -> None:
    story = story_of(
        one(f"exec shell {{ {clauses}\n exit 3 -> partly; on partly, passed -> completed }}").replace(
            "on partly, passed -> completed", "on partly -> completed\non passed -> completed"
        )
    )
    story.ends("a#1/1", **end)
    assert outcome_of(story) == (outcome, code)
    assert dict(story.state.counters.edges) == {f"a {outcome}": 1}
    assert story.state.status == ("completed" if outcome in ("passed", "partly") else "failed")


@pytest.mark.parametrize(
    ("expect", "exit_code", "outcome"),
    [
        ("pass", 0, "passed"),
        ("pass", 1, "failed"),
        ("fail", 0, "failed"),
        ("fail", 1, "passed"),
        ("fail", 255, "passed"),
    ],
)
def test_a_gate_may_expect_its_tool_to_fail(story_of: "StoryOf", expect: str, exit_code: int, outcome: str) -> None:
    story = story_of(one(f"gate read {{ expect {expect}; on passed -> completed }}"))
    story.ends("a#1/1", exit_code)
    assert story.results[-1]["outcome"] == outcome


@pytest.mark.parametrize(
    "end",
    [
        *({"exit_code": None, "signal": 9}, {"timed_out": True}, {"exit_code": None, "never_started": "no"}),
        *({"exit_code": code} for code in (126, 127, 128 + 9, 128 + 64)),
    ],
)
def test_a_gate_that_expects_failure_is_not_satisfied_by_a_check_that_did_not_run(
    story_of: "StoryOf", end: dict[str, Any]
) -> None:
    story = story_of(one("gate read { expect fail; on passed -> completed }"))
    story.ends("a#1/1", **end)
    assert story.results[-1]["outcome"] == "failed"


@pytest.mark.parametrize(
    ("stdout", "outcome", "code"),
    [
        (b'Done. {"outcome": "passed"}', "passed", None),
        (b'{"outcome": "revise"}', "revise", None),
        (b"passed", "failed", "no_object"),
        (b"", "failed", "empty"),
    ],
)
def test_an_agent_passes_only_by_a_declared_result(
    story_of: "StoryOf", stdout: bytes, outcome: str, code: str | None
) -> None:
    story = story_of(one('agent coder { prompt "Do."; on passed -> completed; on revise -> failed }'))
    story.ends("a#1/1", stdout=stdout)
    assert story.results[-1]["outcome"] == outcome
    assert (story.results[-1]["code"] is None) == (code is None)


def test_an_agent_that_exits_non_zero_does_not_pass_whatever_it_says(story_of: "StoryOf") -> None:
    story = story_of(one('agent coder { prompt "Do."; on passed -> completed }'))
    story.ends("a#1/1", 1, stdout=b'{"outcome": "passed"}')
    assert outcome_of(story) == ("failed", "exit_1")


# evidence and files ----------------------------------------------------------------------------------


BUILD = (
    "exec read { output { wheel: file }; evidence wheel: artifact; evidence ran: result; on passed -> completed }"
)


def test_a_file_that_a_result_names_becomes_evidence(story_of: "StoryOf") -> None:
    story = story_of(one(BUILD))
    story.ends("a#1/1", stdout=b'{"wheel": "dist/a.whl"}', files={"dist/a.whl": FILE})
    found = {"path": "dist/a.whl", "sha256": FILE.sha256, "bytes": FILE.bytes}
    assert story.results[-1]["evidence"] == {
        "files": {"wheel": found},
        "wheel": found,
        "ran": {"outcome": "passed"},
    }


def test_a_result_that_names_a_file_which_is_not_there_fails(story_of: "StoryOf") -> None:
    story = story_of(one(BUILD))
    story.ends("a#1/1", stdout=b'{"wheel": "dist/a.whl"}', files={"dist/a.whl": None})
    assert outcome_of(story) == ("failed", "file_missing")


def test_a_step_that_owes_a_receipt_passes_only_with_it(story_of: "StoryOf") -> None:
    text = one("exec upload { evidence proof: receipt; on passed -> completed }")
    for answer, receipt, status in (("found", {"id": 7}, "completed"), ("absent", None, "failed")):
        story = story_of(text)
        story.ends("a#1/1")
        assert [type(command) for command in story.pending] == [AskReceipt]
        story.answers("a#1/1", answer, receipt)
        assert story.state.status == status
    assert outcome_of(story) == ("failed", "evidence_missing")


def test_a_receipt_that_is_unclear_blocks_a_step_that_owes_it(story_of: "StoryOf") -> None:
    story = story_of(one("exec upload { evidence proof: receipt; on passed -> completed }"))
    story.ends("a#1/1")
    story.answers("a#1/1", "ambiguous", detail="exit 2")
    assert story.state.status == "blocked_uncertain"


def test_evidence_of_an_earlier_attempt_is_gone_when_a_step_is_entered_again(story_of: "StoryOf") -> None:
    story = story_of(
        "limits { transitions 9 }\n"
        "step a: exec read { attempts 2\n output int\n evidence ran: result\n on passed -> b }\n"
        "step b: exec read { attempts 2\n with { seen: a.output }\n on passed -> completed\n on failed -> a max 1 }"
    )
    story.ends("a#1/1", stdout=b"1")
    story.ends("b#1/1", 1)
    assert story.state.outputs.get("a") is None
    assert started(story) == ["a#2/1"]
    story.ends("a#2/1", 1, stdout=b"2")
    assert story.state.status == "failed"


# retries ---------------------------------------------------------------------------------------------


ENDS: dict[str, dict[str, Any]] = {
    "failed": {"exit_code": 1},
    "timeout": {"exit_code": None, "signal": 15, "timed_out": True},
    "spawn_failed": {"exit_code": None, "never_started": "spawn_failed"},
}


@pytest.mark.parametrize("declared", ENDS)
@pytest.mark.parametrize("seen", ENDS)
def test_only_a_declared_reason_is_retried(story_of: "StoryOf", declared: str, seen: str) -> None:
    story = story_of(one(f"exec put {{ retry 1 on {declared}; on passed -> completed }}"))
    story.ends("a#1/1", **ENDS[seen])
    assert started(story) == (["a#1/2"] if seen == declared else [])


def test_retries_end_at_their_bound_and_the_last_end_counts(story_of: "StoryOf") -> None:
    story = story_of(one("exec put { retry 2 on failed; on passed -> completed }"))
    for number, exit_code in enumerate((1, 2, 3), start=1):
        assert started(story) == [f"a#1/{number}"]
        story.ends(f"a#1/{number}", exit_code)
    assert outcome_of(story) == ("failed", "exit_3")
    assert story.state.status == "failed"


def test_a_retry_has_a_new_attempt_the_same_assignment_and_the_same_key(story_of: "StoryOf") -> None:
    story = story_of(one("exec put { retry 1 on failed; on passed -> completed }"))
    first = story.state.effects["a#1/1"].key
    story.ends("a#1/1", 1)
    assert story.state.effects["a#1/2"].key == first
    assert story.state.attempts["a#1/1"].status == "terminal"
    assert story.state.counters.units == 1


def test_an_output_that_overflowed_is_not_retried(story_of: "StoryOf") -> None:
    story = story_of(one("exec put { output int; retry 1 on failed; on passed -> completed }"))
    story.ends("a#1/1", truncated=True, stdout=b"1")
    assert outcome_of(story) == ("failed", "output_overflow")


def test_late_news_of_an_attempt_changes_nothing(story_of: "StoryOf") -> None:
    story = story_of(one("exec upload { retry 1 on failed; evidence proof: receipt; on passed -> completed }"))
    story.ends("a#1/1", 1)
    assert story.ends("a#1/1", 0) == ()
    assert story.loses("a#1/1") == ()
    story.ends("a#1/2", 0)
    assert story.ends("a#1/2", 1) == ()
    assert story.loses("a#1/2") == ()
    assert story.ends("zz#1/1") == ()
    assert story.answers("zz#1/1", "found", 1) == ()


# spending --------------------------------------------------------------------------------------------


AGENT = 'agent coder { prompt "Do."; retry 1 on failed; on failed -> failed; on passed -> completed }'


def reply(outcome: str, usage: str) -> bytes:
    return f'{{"outcome": "{outcome}", "usage": {usage}}}'.encode()


def test_what_a_failed_and_retried_attempt_spent_is_counted_too(story_of: "StoryOf") -> None:
    story = story_of(one(AGENT))
    story.ends("a#1/1", stdout=reply("failed", '{"tokens": 40, "cost_usd": 0.25}'))
    story.ends("a#1/2", stdout=reply("passed", '{"tokens": 2, "cost_usd": 1}'))
    counters = story.state.counters
    assert (counters.tokens, counters.cost_microdollars) == (42, 1_250_000)


@pytest.mark.parametrize("usage", ["null", "7", "{}", '{"tokens": -1}', '{"tokens": true}', '{"tokens": "9"}'])
def test_a_usage_that_says_nothing_counts_nothing(story_of: "StoryOf", usage: str) -> None:
    story = story_of(one(AGENT))
    story.ends("a#1/1", stdout=reply("passed", usage))
    assert (story.state.status, story.state.counters.tokens) == ("completed", 0)


@pytest.mark.parametrize("usage", ['{"tokens": 1' + "0" * 40 + "}", '{"tokens": 1e400, "cost_usd": 1e400}'])
def test_a_usage_beyond_all_measure_is_recorded_as_the_most_there_is(story_of: "StoryOf", usage: str) -> None:
    story = story_of(one(AGENT))
    story.ends("a#1/1", stdout=reply("passed", usage))
    assert (story.state.status, story.state.counters.tokens) == ("completed", 10**12)
