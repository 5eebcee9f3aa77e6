"""What examples really leave behind, exported and held against their plans by the history checker."""

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from akm.audit.check import audit
from akm.audit.history import read_export
from akm_specs.canonical import unseal

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person


@pytest.mark.parametrize("name", ["review", "handbook"])
def test_the_history_of_an_example_is_legal(name: str, person: "Person") -> None:
    person.copies(name)
    person.does("run", f"{name}.akm", "--id", "r")
    plan = person.here / "frozen.json"
    command = [sys.executable, "-m", "akmc", "compile", f"{name}.akm", "-o", str(plan)]
    subprocess.run(command, cwd=person.here, check=True, capture_output=True, timeout=60)
    entries = read_export(person.does("export", "r").out.splitlines())
    assert entries[-1].name == "run.complete"
    assert audit(*unseal(plan.read_bytes()), entries) == ()
    without_result = tuple(one for one in entries if one.name != "assignment.settle")
    assert audit(*unseal(plan.read_bytes()), without_result)
