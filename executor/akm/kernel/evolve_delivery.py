"""`evolve` for deliveries: the manifest over all repositories, and each repository's share of it.

What no single table can hold is held here: as long as a repository has been delivered, the manifest shows neither
`failed` nor `cancelled` nor `blocked_uncertain`; it is complete only when all are; and none is without a receipt.
"""

from dataclasses import replace

from akm.kernel.event import BIRTH, Event
from akm.kernel.identity import read_id
from akm.kernel.legality import IllegalEvent, target
from akm.kernel.state import Delivery, RunState, Share, WorkList
from akm_specs.plan import Plan

_NOTHING_DELIVERED = frozenset({"failed", "cancelled", "blocked_uncertain"})


def delivery(plan: Plan, state: RunState, event: Event) -> None:
    """Apply an event of a manifest."""
    active = state.active
    if active is None or active.id != event.entity:
        raise IllegalEvent(f"{event.name}: {event.entity} is not the active step attempt")
    before = state.deliveries.get(active.step)
    if event.trigger == BIRTH:
        if before is not None and before.id == event.entity:
            raise IllegalEvent(f"{event.name}: the id {event.entity} is used already")
        _put(state, Delivery(event.entity, target(event, None), tuple(event.data["repositories"])))
        return
    if before is None or before.id != event.entity:
        raise IllegalEvent(f"{event.name}: there is no delivery {event.entity}")
    after = replace(before, status=target(event, before.status))
    _check_honest(event, after)
    if "commits" in event.data:
        after = replace(after, branch=event.data["branch"], commits=event.data["commits"])
    if "problem" in event.data:
        after = replace(after, problem=event.data["problem"])
    if "again" in event.data:
        _next_round(state, after, event)
    _put(state, after)


def _check_honest(event: Event, after: Delivery) -> None:
    delivered, every = len(after.delivered), len(after.repositories)
    if after.status in _NOTHING_DELIVERED and delivered:
        raise IllegalEvent(f"{event.name}: {delivered} repositories have it, so {event.entity} is partial")
    if after.status == "completed" and delivered < every:
        raise IllegalEvent(f"{event.name}: {every - delivered} repositories do not have {event.entity}")


def _next_round(state: RunState, after: Delivery, event: Event) -> None:
    """Those that failed are tried again: new assignments, of the next round."""
    left = tuple(each for each in after.repositories if not after.is_delivered(each))
    if state.open or tuple(event.data["again"]) != left:
        raise IllegalEvent(f"{event.name}: {event.data['again']} are not what is left to deliver")
    active = state.own_active()
    active.loop += 1
    active.made = 0
    active.work = WorkList(left)


def share(plan: Plan, state: RunState, event: Event) -> None:
    """Apply an event of one repository's share."""
    found = read_id(event.entity)
    whole = state.deliveries.get(found.step)
    if event.entity not in state.assignments or whole is None or found.part not in whole.repositories:
        raise IllegalEvent(f"{event.name}: no repository is delivered by {event.entity}")
    before = whole.shares.get(found.part)
    if event.trigger == BIRTH:
        if before is not None and before.status != "failed":
            raise IllegalEvent(f"{event.name}: {found.part} is {before.status}, and so not delivered again")
        after = Share(event.entity, target(event, None))
    else:
        if before is None or before.id != event.entity:
            raise IllegalEvent(f"{event.name}: there is no share {event.entity}")
        after = replace(before, status=target(event, before.status), receipt=event.data.get("receipt"))
    if after.status == "delivered" and (after.receipt is None or whole.status in _NOTHING_DELIVERED):
        raise IllegalEvent(f"{event.name}: {event.entity} has no receipt, or the delivery is {whole.status}")
    _put(state, replace(whole, shares={**whole.shares, found.part: after}))


def _put(state: RunState, after: Delivery) -> None:
    state.deliveries = {**state.deliveries, read_id(after.id).step: after}
