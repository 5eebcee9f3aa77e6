"""A secret that a function was given is in no file of the store, however the function tells it."""

import base64
import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import akm
from akm.journal.store import Store

if TYPE_CHECKING:
    from tests.executor.api.conftest import Program

SENTINEL = 's3ntinel/"ö"+wheel house'
TELLS = """

def tells(given):
    secret = os.environ["SENTINEL"]
    return {"text": secret, "inside": f"<{secret}>", "hex": secret.encode().hex()}

def raises(given):
    raise ValueError(os.environ["SENTINEL"], given)

def no_json_of_it():
    return {os.environ["SENTINEL"]: object()}
"""
REGISTRY = """
tool tells   { python "fixture_tools:tells", effect read_only, env [SENTINEL] }
tool raises  { python "fixture_tools:raises", effect read_only, env [SENTINEL] }
tool odd     { python "fixture_tools:no_json_of_it", effect read_only, env [SENTINEL] }
"""
STEPS = """
  step a: exec tells {
    with { word: "plain" }
    output { text: string, inside: string, hex: string }
    on passed -> b
  }
  step b: exec raises { with { word: "plain" }, on passed -> c, on failed -> c }
  step c: exec odd { output { text: string }, on passed -> completed, on failed -> completed }
"""


def test_a_sentinel_is_nowhere_though_it_is_returned_and_raised(
    program: "Program", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SENTINEL", SENTINEL)
    for name, more in (("fixture_tools.py", TELLS), ("registry.akm", REGISTRY)):
        with (program.here / name).open("a", encoding="utf-8") as file:
            file.write(more)
    found = akm.run(program.workflow(STEPS), store=program.store, run_id="r")
    assert found.status == "completed"
    assert found.outputs["a"] == {"text": "***", "inside": "<***>", "hex": "***"}
    plain = SENTINEL.encode()
    traces = {plain, json.dumps(SENTINEL)[1:-1].encode(), b"s3ntinel", b"wheel house", plain.hex().encode()}
    traces.add(base64.b64encode(plain)[4:20])
    files = [path for path in program.store.rglob("*") if path.is_file()]
    assert any(path.name == "stderr" for path in files)
    assert not [(path, trace) for path in files for trace in traces if trace in path.read_bytes()]
    with closing(Store(program.store, create=False)) as store:
        told = json.dumps([one.event.data for one in store.recorded("r")])
    assert "s3ntinel" not in told
