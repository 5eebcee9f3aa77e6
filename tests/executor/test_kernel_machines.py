"""The tables and the machines say the same: for every state and trigger of all ten lifecycles."""

from itertools import product

import pytest
from transitions import MachineError

from akm.kernel import machines
from akm_specs import lifecycle


class Model:
    """Something for a machine to move."""

    def __init__(self, state: str) -> None:
        self.state = state


def listed(name: str) -> dict[tuple[str, str], str]:
    return {(move["source"], move["trigger"]): move["target"] for move in lifecycle.load(name)["moves"]}


def fired(name: str, source: str, trigger: str) -> str | None:
    """What `transitions` itself does, with a model of our own."""
    model = Model(source)
    try:
        machines.machine(name).events[trigger].trigger(model)
    except MachineError:
        assert model.state == source
        return None
    return model.state


def test_there_are_ten_lifecycles() -> None:
    assert len(set(lifecycle.NAMES)) == 10


@pytest.mark.parametrize("name", lifecycle.NAMES)
def test_every_pair_of_state_and_trigger_does_what_the_table_says(name: str) -> None:
    table = lifecycle.load(name)
    moves = listed(name)
    assert moves
    states = [state["name"] for state in table["states"]]
    for source, trigger in product(states, sorted({move["trigger"] for move in table["moves"]})):
        expected = moves.get((source, trigger))
        assert fired(name, source, trigger) == expected
        assert machines.target(f"{name}.{trigger}", source) == expected
        if expected is not None:
            assert machines.move(name, "e", source, trigger) == expected
            continue
        with pytest.raises(machines.IllegalMove) as refused:
            machines.move(name, "e", source, trigger)
        assert all(word in str(refused.value) for word in (name, repr(source), repr(trigger)))


@pytest.mark.parametrize("name", lifecycle.NAMES)
def test_a_final_state_is_left_by_no_trigger(name: str) -> None:
    assert machines.finals(name)
    assert not [source for source, _ in listed(name) if source in machines.finals(name)]


@pytest.mark.parametrize("name", lifecycle.NAMES)
def test_every_state_is_reached_from_the_initial_one(name: str) -> None:
    reached = {machines.initial(name)}
    for _ in lifecycle.load(name)["states"]:
        reached |= {target for (source, _), target in listed(name).items() if source in reached}
    assert reached == {state["name"] for state in lifecycle.load(name)["states"]}


@pytest.mark.parametrize("name", lifecycle.NAMES)
@pytest.mark.parametrize(
    ("source", "trigger"), [("nowhere", "start"), ("created", "fly"), ("", ""), ("create", "create")]
)
def test_an_unknown_state_or_trigger_is_an_illegal_move(name: str, source: str, trigger: str) -> None:
    with pytest.raises(machines.IllegalMove):
        machines.move(name, "e", source, trigger)


def test_a_machine_offers_no_way_around_its_table() -> None:
    """Auto transitions would add a `to_STATE` trigger for every state."""
    assert set(machines.machine("run").events) == {trigger for _, trigger in listed("run")}
