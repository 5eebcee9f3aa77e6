"""Lost attempts: replaced, asked for, or left to a person, as the effect's class allows."""

from typing import TYPE_CHECKING, Any

import pytest

from akm.kernel.command import AskReceipt, AwaitResolution, StartAttempt, StopAttempt
from akm.kernel.observation import StoredFile
from akm.kernel.summary import summarise

if TYPE_CHECKING:
    from tests.executor.conftest import Story, StoryOf


def using(tool: str, *clauses: str) -> str:
    """A workflow of one step that uses `tool`."""
    return "\n".join([f"step a: exec {tool} {{", *clauses, "on passed -> completed", "}"])


def started(story: "Story") -> list[str]:
    return [command.attempt for command in story.pending if isinstance(command, StartAttempt)]


def blocked(story_of: "StoryOf", *clauses: str, tool: str = "shell") -> "Story":
    """A run that is blocked at its one step, whose outcome was lost."""
    story = story_of(using(tool, *clauses))
    story.loses("a#1/1")
    assert story.state.status == "blocked_uncertain"
    return story


# by class --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["read", "put"])
def test_a_lost_attempt_of_a_repeatable_effect_is_replaced(story_of: "StoryOf", tool: str) -> None:
    story = story_of(using(tool))
    story.loses("a#1/1")
    assert started(story) == ["a#1/2"]
    assert story.state.attempts["a#1/1"].status == "terminal"
    assert story.state.effects["a#1/1"].key == story.state.effects["a#1/2"].key


@pytest.mark.parametrize("tool", ["edit", "shell", "pay"])
def test_a_lost_attempt_that_may_not_be_repeated_blocks_and_is_never_replayed(
    story_of: "StoryOf", tool: str
) -> None:
    story = story_of(using(tool))
    story.loses("a#1/1")
    assert story.pending == (AwaitResolution("a#1/1"),)
    assert story.state.status == "blocked_uncertain"
    assert story.state.active is not None
    assert story.state.active.status == "blocked_uncertain"
    for _ in range(3):
        assert story.tick(1000) == ()


def test_a_lost_edit_that_provably_changed_nothing_is_replaced_within_its_bound(story_of: "StoryOf") -> None:
    story = story_of(using("edit", "recover 1"))
    story.loses("a#1/1", changed=())
    assert started(story) == ["a#1/2"]
    story.loses("a#1/2", changed=())
    assert story.results[-1]["code"] == "recoveries_exhausted"


def test_a_lost_edit_that_left_changes_blocks_and_names_them(story_of: "StoryOf") -> None:
    story = story_of(using("edit"))
    story.loses("a#1/1", changed=("notes.txt",))
    assert story.pending == (AwaitResolution("a#1/1"),)
    (uncertain,) = summarise(story.plan, story.state)["uncertain"]
    assert uncertain["tried"] == {"changed": ["notes.txt"]}
    assert "workspace has changed" in uncertain["why"]


@pytest.mark.parametrize("tool", ["shell", "pay"])
def test_an_unchanged_workspace_proves_nothing_of_effects_elsewhere(story_of: "StoryOf", tool: str) -> None:
    story = story_of(using(tool))
    story.loses("a#1/1", changed=())
    assert story.pending == (AwaitResolution("a#1/1"),)


def test_an_unchanged_workspace_does_not_excuse_a_process_that_still_runs(story_of: "StoryOf") -> None:
    story = story_of(using("edit"))
    story.loses("a#1/1", "77 sleep", changed=())
    assert story.state.status == "blocked_uncertain"


def test_a_blocked_effect_shows_all_that_a_person_needs_to_settle_it(story_of: "StoryOf") -> None:
    story = blocked(story_of)
    (uncertain,) = summarise(story.plan, story.state)["uncertain"]
    assert uncertain["effect"] == uncertain["attempt"] == "a#1/1"
    assert (uncertain["step"], uncertain["assignment"], uncertain["tool"]) == ("a", "a#1", "shell")
    assert (uncertain["class"], uncertain["last_state"]) == ("unknown", "dispatched")
    assert "crash" in uncertain["why"]
    assert uncertain["key"] == story.state.effects["a#1/1"].key
    assert len(uncertain["resolutions"]) == 5


def test_recoveries_end_at_their_bound(story_of: "StoryOf") -> None:
    story = story_of(using("read", "recover 2"))
    for number in (1, 2, 3):
        assert started(story) == [f"a#1/{number}"]
        story.loses(f"a#1/{number}")
    assert story.state.status == "failed"
    assert story.results[-1]["code"] == "recoveries_exhausted"


def test_an_effect_outside_is_not_called_failed_when_its_recoveries_are_used_up(story_of: "StoryOf") -> None:
    """It may well be there: only what reads may simply fail."""
    story = story_of(using("put", "recover 1"))
    story.loses("a#1/1")
    story.loses("a#1/2")
    assert story.pending == (AwaitResolution("a#1/2"),)


def test_recoveries_and_retries_are_counted_apart(story_of: "StoryOf") -> None:
    story = story_of(using("read", "recover 1", "retry 1 on failed"))
    story.loses("a#1/1")
    story.ends("a#1/2", 1)
    assert started(story) == ["a#1/3"]
    story.ends("a#1/3", 0)
    assert story.state.status == "completed"


@pytest.mark.parametrize("tool", ["read", "put", "upload", "shell"])
def test_processes_that_could_not_be_stopped_block_every_class(story_of: "StoryOf", tool: str) -> None:
    for tell in ("loses", "ends"):
        story = story_of(using(tool))
        if tell == "loses":
            story.loses("a#1/1", "77 sleep")
        else:
            story.ends("a#1/1", survivors=("77 sleep",))
        assert story.state.status == "blocked_uncertain"
        assert story.history[-1].event.name == "run.block"
        assert story.state.effects["a#1/1"].blocked is not None
        assert story.state.effects["a#1/1"].blocked["tried"] == {"survivors": ["77 sleep"]}


@pytest.mark.parametrize(("tool", "status"), [("shell", "failed"), ("pay", "blocked_uncertain")])
@pytest.mark.parametrize("timed_out", [True, False])
def test_only_what_must_never_happen_twice_blocks_when_it_is_cut_short(
    story_of: "StoryOf", tool: str, status: str, timed_out: bool
) -> None:
    story = story_of(using(tool))
    story.ends("a#1/1", None, signal=15, timed_out=timed_out)
    assert story.state.status == status


@pytest.mark.parametrize("tool", ["upload", "push"])
@pytest.mark.parametrize("timed_out", [True, False])
@pytest.mark.parametrize(("answer", "status"), [("found", "completed"), ("absent", "failed")])
def test_what_was_cut_short_is_asked_for_before_it_counts_as_timed_out_or_killed(
    story_of: "StoryOf", tool: str, timed_out: bool, answer: str, status: str
) -> None:
    story = story_of(using(tool))
    story.ends("a#1/1", None, signal=15, timed_out=timed_out)
    assert isinstance(story.pending[0], AskReceipt)
    story.answers("a#1/1", answer, 7 if answer == "found" else None)
    assert story.state.status == status


def test_a_timeout_is_retried_only_after_absence_is_proven(story_of: "StoryOf") -> None:
    story = story_of(using("upload", "retry 1 on timeout"))
    story.ends("a#1/1", None, signal=15, timed_out=True)
    assert started(story) == []
    story.answers("a#1/1", "absent")
    assert started(story) == ["a#1/2"]
    story.ends("a#1/2", None, signal=15, timed_out=True)
    story.answers("a#1/2", "ambiguous")
    assert story.state.status == "blocked_uncertain"


def test_an_attempt_that_provably_never_started_left_no_effect(story_of: "StoryOf") -> None:
    story = story_of(using("pay", "retry 1 on spawn_failed"))
    story.never_starts("a#1/1")
    assert story.state.effects["a#1/1"].status == "settled"
    assert started(story) == ["a#1/2"]
    story.never_starts("a#1/2")
    assert (story.state.status, story.results[-1]["result_class"]) == ("failed", "producer_rejected")


# reattached ------------------------------------------------------------------------------------------

EVERY_CLASS = ["read", "edit", "put", "push", "upload", "shell", "pay"]


@pytest.mark.parametrize("tool", EVERY_CLASS)
def test_a_process_that_still_runs_is_the_same_attempt_whatever_its_class(story_of: "StoryOf", tool: str) -> None:
    story = story_of(using(tool))
    names = [event.name for event in story.reattaches("a#1/1")]
    assert names[:3] == ["attempt.lose", "assignment.reattach", "attempt.reattach"]
    assert story.state.attempts["a#1/1"].status == story.state.assignments["a#1"].status == "executing"
    assert started(story) == ["a#1/1"]
    story.reattaches("a#1/1")
    story.ends("a#1/1")
    assert (story.state.status, story.names.count("attempt.create")) == ("completed", 1)


@pytest.mark.parametrize("tool", EVERY_CLASS)
def test_an_end_that_only_the_supervisor_saw_is_the_end(story_of: "StoryOf", tool: str) -> None:
    story = story_of(using(tool))
    moves = [(event.name, event.target) for event in story.ends("a#1/1", stored={"pid": 7})]
    assert ("attempt.settle", "settling") in moves
    assert ("attempt.execute", "executing") not in moves, "nobody saw it run"
    assert (story.state.status, story.names.count("attempt.create")) == ("completed", 1)


def test_a_reattached_attempt_that_is_lost_after_all_is_decided_by_its_class(story_of: "StoryOf") -> None:
    story = story_of(using("read", "recover 1"))
    for number in (1, 2):
        story.reattaches(f"a#1/{number}")
        story.loses(f"a#1/{number}")
    assert story.results[-1]["code"] == "recoveries_exhausted"
    story = story_of(using("shell"))
    story.reattaches("a#1/1")
    story.loses("a#1/1")
    assert story.state.status == "blocked_uncertain"


@pytest.mark.parametrize(("tool", "status"), [("edit", "cancelled"), ("pay", "blocked_uncertain")])
def test_a_reattached_attempt_is_stopped_by_a_cancel(story_of: "StoryOf", tool: str, status: str) -> None:
    story = story_of(using(tool))
    story.reattaches("a#1/1")
    story.cancels()
    assert story.pending == (StopAttempt("a#1/1"),)
    story.ends("a#1/1", None, signal=15, stopped=True)
    assert story.state.status == status


def test_what_is_over_is_not_reattached(story_of: "StoryOf") -> None:
    story = story_of(using("read"))
    story.loses("a#1/1")
    assert story.reattaches("a#1/1") == ()
    assert started(story) == ["a#1/2"]


# receipts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["upload", "push"])
def test_a_lost_attempt_with_a_receipt_query_is_asked_for_first(story_of: "StoryOf", tool: str) -> None:
    story = story_of(using(tool))
    key = story.state.effects["a#1/1"].key
    story.loses("a#1/1")
    (asked,) = story.pending
    assert isinstance(asked, AskReceipt)
    assert (asked.effect, asked.key) == ("a#1/1", key)


def test_a_receipt_that_is_found_is_recorded_and_nothing_is_repeated(story_of: "StoryOf") -> None:
    story = story_of(using("upload"))
    story.loses("a#1/1")
    story.answers("a#1/1", "found", {"id": 7})
    assert story.state.status == "completed"
    assert story.names.count("attempt.create") == 1
    receipts = [one.event.data for one in story.history if one.event.name == "effect.record_receipt"]
    assert receipts == [{"receipt": {"id": 7}}]


@pytest.mark.parametrize("receipt", [{"sha256": "b" * 64}, {"path": "a", "sha256": 7}, ["sha256"], "sha256", 7])
def test_a_receipt_may_say_anything_and_is_no_file(story_of: "StoryOf", receipt: Any) -> None:
    story = story_of(using("upload", "evidence proof: receipt"))
    story.ends("a#1/1")
    story.answers("a#1/1", "found", receipt)
    assert story.state.status == "completed"
    (captured,) = [one.event.data for one in story.history if one.event.name == "evidence.captured"]
    assert captured["files"] == {}


def test_proven_absence_starts_another_attempt_with_the_same_key(story_of: "StoryOf") -> None:
    story = story_of(using("upload"))
    key = story.state.effects["a#1/1"].key
    story.loses("a#1/1")
    story.answers("a#1/1", "absent")
    assert started(story) == ["a#1/2"]
    assert story.state.effects["a#1/2"].key == key


@pytest.mark.parametrize("tool", ["upload", "push"])
def test_an_unclear_answer_blocks(story_of: "StoryOf", tool: str) -> None:
    story = story_of(using(tool))
    story.loses("a#1/1")
    story.answers("a#1/1", "ambiguous", detail="exit 2")
    assert story.pending == (AwaitResolution("a#1/1"),)
    assert story.state.effects["a#1/1"].blocked is not None
    assert story.state.effects["a#1/1"].blocked["tried"] == {"query": "exit 2"}


def test_a_found_receipt_stands_in_for_a_declared_output_only_if_it_has_its_type(story_of: "StoryOf") -> None:
    story = story_of(using("upload", "output { id: int }"))
    story.loses("a#1/1")
    story.answers("a#1/1", "found", {"id": 7})
    assert story.state.outputs["a"] == {"id": 7}
    story = story_of(using("upload", "output { id: int }"))
    story.loses("a#1/1")
    story.answers("a#1/1", "found", "seven")
    assert story.state.status == "blocked_uncertain"


def test_a_found_receipt_brings_the_files_that_it_names(story_of: "StoryOf") -> None:
    story = story_of(using("upload", "output { wheel: file }", "evidence wheel: artifact"))
    story.loses("a#1/1")
    story.answers("a#1/1", "found", {"wheel": "a.whl"}, files={"a.whl": StoredFile("b" * 64, 5)})
    assert story.results[-1]["evidence"]["wheel"]["sha256"] == "b" * 64


def test_a_found_receipt_whose_files_are_gone_blocks_and_is_not_run_again(story_of: "StoryOf") -> None:
    story = story_of(using("upload", "output { wheel: file }", "retry 1 on failed"))
    story.loses("a#1/1")
    story.answers("a#1/1", "found", {"wheel": "a.whl"}, files={"a.whl": None})
    assert story.pending == (AwaitResolution("a#1/1"),)


def test_a_second_answer_changes_nothing(story_of: "StoryOf") -> None:
    story = story_of(using("upload"))
    story.loses("a#1/1")
    story.answers("a#1/1", "absent")
    assert story.answers("a#1/1", "found", 1) == ()


# resolutions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "reference", "status", "result"),
    [
        ("mark-completed", "receipt 7", "completed", ("passed", None)),
        ("mark-failed", None, "failed", ("failed", "resolved_failed")),
        ("cancel", "refund 7", "cancelled", ("cancelled", "resolved_cancelled")),
    ],
)
def test_a_resolution_settles_the_effect_and_the_run_goes_on(
    story_of: "StoryOf", action: str, reference: str | None, status: str, result: tuple[str, str | None]
) -> None:
    story = blocked(story_of)
    story.resolves("a#1/1", action, reference)
    assert story.state.status == status
    assert (story.results[-1]["outcome"], story.results[-1]["code"]) == result


@pytest.mark.parametrize(("action", "reference"), [("confirm-absent", None), ("compensated", "refund 7")])
def test_an_effect_that_is_not_there_gets_a_new_attempt(
    story_of: "StoryOf", action: str, reference: str | None
) -> None:
    story = blocked(story_of)
    story.resolves("a#1/1", action, reference)
    assert started(story) == ["a#1/2"]
    assert story.state.status == "running"
    story.loses("a#1/2")
    story.resolves("a#1/2", action, reference)
    story.ends("a#1/3")
    assert story.state.status == "completed"


def test_an_attempt_that_a_person_granted_takes_nothing_from_the_retries(story_of: "StoryOf") -> None:
    story = blocked(story_of, "retry 1 on spawn_failed")
    story.resolves("a#1/1", "confirm-absent")
    story.never_starts("a#1/2")
    assert started(story) == ["a#1/3"]
    story.never_starts("a#1/3")
    assert story.state.status == "failed"


@pytest.mark.parametrize("action", ["mark-completed", "compensated"])
@pytest.mark.parametrize("reference", [None, ""])
def test_a_resolution_without_its_reference_is_refused_and_recorded(
    story_of: "StoryOf", action: str, reference: str | None
) -> None:
    story = blocked(story_of)
    (refused,) = story.resolves("a#1/1", action, reference)
    assert (refused.name, refused.data["by"], refused.data["reason"]) == ("resolution.refused", "alice", "looked")
    assert "--ref" in story.problem()
    assert story.pending == (AwaitResolution("a#1/1"),)


@pytest.mark.parametrize("effect", ["a#1/1", "a#1/9", "zz#1/1"])
@pytest.mark.parametrize("action", ["mark-completed", "confirm-absent", "compensated", "mark-failed", "cancel"])
def test_what_is_not_uncertain_is_not_resolved(story_of: "StoryOf", effect: str, action: str) -> None:
    story = story_of(using("shell"))
    before = story.pending
    (refused,) = story.resolves(effect, action, "seen")
    assert refused.name == "resolution.refused"
    assert story.pending == before


@pytest.mark.parametrize("reference", ["seven", '{"id": "seven"}', "9" * 30, "9" * 5000, "[" * 9999])
def test_completing_a_step_with_an_output_needs_a_value_of_its_type(story_of: "StoryOf", reference: str) -> None:
    story = blocked(story_of, "output { id: int }")
    (refused,) = story.resolves("a#1/1", "mark-completed", reference)
    assert refused.name == "resolution.refused"
    story.resolves("a#1/1", "mark-completed", '{"id": 7}')
    assert story.state.outputs["a"] == {"id": 7}


@pytest.mark.parametrize("reference", ["7", "9" * 30, "9" * 5000, "1e999", "seven", '{"id": 7}'])
def test_any_text_may_be_the_receipt_of_a_step_without_an_output(story_of: "StoryOf", reference: str) -> None:
    story = story_of(using("upload", "evidence proof: receipt"))
    story.ends("a#1/1")
    story.answers("a#1/1", "ambiguous")
    story.resolves("a#1/1", "mark-completed", reference)
    assert story.state.status == "completed"
    assert str(story.results[-1]["evidence"]["proof"]).replace("'", '"') == reference


def test_completing_a_step_that_names_files_needs_them_to_be_there(story_of: "StoryOf") -> None:
    story = blocked(story_of, "output { wheel: file }", "evidence wheel: artifact")
    reference = '{"wheel": "a.whl"}'
    story.resolves("a#1/1", "mark-completed", reference)
    assert "file_missing" in story.problem()
    story.resolves("a#1/1", "mark-completed", reference, files={"a.whl": StoredFile("b" * 64, 5)})
    assert story.results[-1]["evidence"]["wheel"]["sha256"] == "b" * 64


def test_a_step_that_cannot_pass_is_not_offered_to_be_completed(story_of: "StoryOf") -> None:
    story = story_of('step a: agent coder { prompt "Do.", recover 0, on done -> completed }')
    story.ends("a#1/1", survivors=("77 sleep",))
    (uncertain,) = summarise(story.plan, story.state)["uncertain"]
    assert uncertain["resolutions"] == ["confirm-absent", "compensated", "mark-failed", "cancel"]
    (refused,) = story.resolves("a#1/1", "mark-completed", "seen")
    assert refused.name == "resolution.refused"
    assert "no outcome passed" in story.problem()


def test_a_resolution_is_an_audited_event(story_of: "StoryOf") -> None:
    story = blocked(story_of)
    first, *_ = story.resolves("a#1/1", "mark-completed", "receipt 7")
    expected: dict[str, Any] = {"action": "mark-completed", "by": "alice", "reason": "looked"}
    assert first.name == "resolution.recorded"
    assert first.data == {**expected, "number": 1, "reference": "receipt 7"}
