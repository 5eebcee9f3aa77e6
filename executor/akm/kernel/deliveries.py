"""Deliveries: a manifest over several repositories that follows the work which pushes to them.

First everything is looked at, so that what cannot arrive stops the delivery before anything has. Then each
repository is an assignment like any other. Where some arrived and some did not, those are tried again as often as
the step says, and then the manifest stays `partial`.
"""

from collections.abc import Iterator

from akm.kernel import outcome, pushes
from akm.kernel.command import LookAtRepositories, RepositoryLook
from akm.kernel.draft import Draft
from akm.kernel.joins import Joined
from akm.kernel.machines import finals
from akm.kernel.observation import RepositoriesSeen
from akm.kernel.state import Assignment, Delivery, RunState, Share
from akm.kernel.steps import step_named
from akm.kernel.units import made
from akm.kernel.values import resolve
from akm_specs.canonical import Json
from akm_specs.plan import DeliverStep, Plan

_AT_WORK = frozenset({"dispatched", "executing", "reattaching", "result_recorded"})


def current(state: RunState) -> Delivery | None:
    """The delivery of the active step attempt."""
    active = state.active
    found = None if active is None else state.deliveries.get(active.step)
    return found if found is not None and active is not None and found.id == active.id else None


def under_way(state: RunState) -> bool:
    """Whether repositories may be written."""
    found = current(state)
    return found is not None and found.status == "delivering"


def joined(state: RunState) -> Joined | None:
    """What the delivery comes to; None while that is open."""
    found = current(state)
    if found is None or state.open or found.status not in ("completed", "failed", "partial"):
        return None
    if found.status == "completed":
        return Joined(outcome.PASSED)
    if found.status == "partial":
        return Joined("partial", code="not_all_delivered")
    code = "not_deliverable" if found.problem is not None else "nothing_delivered"
    return Joined(outcome.FAILED, code=code, detail=found.problem)


# looking first ---------------------------------------------------------------------------------------


def looks(plan: Plan, state: RunState) -> Iterator[LookAtRepositories]:
    """The look at all repositories that a delivery in preparation waits for."""
    found, active = current(state), state.active
    if found is None or active is None or found.status != "preparing" or state.ending is not None:
        return
    step = step_named(plan, active.step)
    assert step["kind"] == "deliver", step["name"]
    entries = ((name, plan["repositories"][name]) for name in step["repositories"])
    yield LookAtRepositories(
        active.id,
        pushes.branch(state.run, active.step, active.number),
        step["timeout_ms"]["value"],
        tuple(
            RepositoryLook(name, entry["directory"], entry["remote"], _asked(state, step, name))
            for name, entry in entries
        ),
    )


def _asked(state: RunState, step: DeliverStep, repository: str) -> str | None:
    """The commit that the step gives for `repository`; None: the one that is checked out."""
    if repository not in step["commits"]:
        return None
    found = resolve(state, step["commits"][repository])
    assert isinstance(found, str), "_begin has checked it"
    return found


def seen(draft: Draft, found: RepositoriesSeen) -> None:
    """All were looked at: what cannot be delivered as a whole is not begun."""
    whole = current(draft.state)
    if whole is None or whole.id != found.step_attempt or whole.status != "preparing":
        return
    if found.problems:
        draft.move("delivery", whole.id, "fail", problem="; ".join(found.problems))
    else:
        name = pushes.branch(draft.state.run, draft.active.step, draft.active.number)
        draft.move("delivery", whole.id, "deliver", branch=name, commits=dict(found.commits))


# following the work ----------------------------------------------------------------------------------


def follow(draft: Draft) -> bool:
    """Bring the manifest, and each share of it, to where the work is."""
    active = draft.state.active
    if active is None or active.status not in ("running", "blocked_uncertain"):
        return False
    step = draft.step
    if step["kind"] != "deliver":
        return False
    whole = current(draft.state)
    if whole is None:
        return draft.state.ending is None and _begin(draft, step)
    return any(_follow_share(draft, whole, one) for one in made(draft.state)) or _follow_whole(draft, step, whole)


def _begin(draft: Draft, step: DeliverStep) -> bool:
    entity = draft.active.id
    draft.birth("delivery", entity, repositories=list(step["repositories"]))
    draft.move("delivery", entity, "prepare")
    given = {name: resolve(draft.state, value) for name, value in step["commits"].items()}
    inexact = [name for name, commit in given.items() if not pushes.is_commit(commit)]
    if inexact:
        problem = f"what is given for {', '.join(inexact)} is no commit spelt out in full"
        draft.move("delivery", entity, "fail", problem=problem)
    return True


def _follow_share(draft: Draft, whole: Delivery, one: Assignment) -> bool:
    repository = draft.unit(one.id).id.part
    share = whole.shares.get(repository)
    if share is None or share.id != one.id:
        draft.birth("repository_delivery", one.id, repository=repository)
        return True
    trigger = _trigger(share, one)
    if trigger is None:
        return False
    if share.status == "blocked_uncertain" and whole.status in ("blocked_uncertain", "partial"):
        draft.move("delivery", whole.id, "deliver")
    data: dict[str, Json] = {"repository": repository}
    if trigger == "confirm" and one.result is not None:
        data["receipt"] = one.result.evidence[outcome.RECEIPT]
    elif trigger == "fail" and one.result is not None:
        data["code"] = one.result.code
    draft.move("repository_delivery", one.id, trigger, **data)
    return True


def _trigger(share: Share, one: Assignment) -> str | None:
    """The move by which a share comes nearer to where its assignment is."""
    if share.status in finals("repository_delivery"):
        return None
    if one.status == "blocked_uncertain":
        return {"planned": "deliver", "delivering": "block"}.get(share.status)
    if one.status != "terminal":
        return "deliver" if share.status != "delivering" and one.status in _AT_WORK else None
    if one.result is None:
        return "cancel" if share.status == "planned" else "fail"
    if one.result.outcome != outcome.PASSED:
        return "fail"
    return "deliver" if share.status == "planned" else "confirm"


def _follow_whole(draft: Draft, step: DeliverStep, whole: Delivery) -> bool:
    state, trigger = draft.state, None
    if whole.status == "partial" and not state.open and not draft.stopping:
        return _try_again(draft, step, whole)
    all_made = draft.active.made == len(draft.active.work.parts)
    if (whole.status == "preparing" and state.ending is not None) or (
        whole.status == "delivering" and not state.open and (all_made or draft.stopping)
    ):
        trigger = _end(draft, whole)
    elif whole.status == "delivering" and state.open == len(state.uncertain) and (all_made or draft.stopping):
        trigger = "part" if whole.delivered else "block"
    if trigger is None:
        return False
    draft.move("delivery", whole.id, trigger)
    return True


def _end(draft: Draft, whole: Delivery) -> str:
    """The move by which a delivery ends whose work is over."""
    if len(whole.delivered) == len(whole.repositories):
        return "complete"
    if whole.delivered:
        return "part"
    ending = draft.state.ending
    return "cancel" if ending is not None and ending.terminal == "cancelled" else "fail"


def _try_again(draft: Draft, step: DeliverStep, whole: Delivery) -> bool:
    """Another round for those that failed, if there is one left."""
    if draft.active.loop > step["remediations"]["value"] or draft.active.proposed is not None:
        return False
    again = [each for each in whole.repositories if not whole.is_delivered(each)]
    draft.move("delivery", whole.id, "deliver", again=again)
    return True
