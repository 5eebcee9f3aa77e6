"""A secret is nowhere but in the process that is given it, however that writes it."""

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

SENTINEL = 's3ntinel/"ö"+wheel house'
TELLS = """
import base64, json, os, sys, urllib.parse
secret = os.environ["SENTINEL"]
for stream in (sys.stdout, sys.stderr):
    for text in (secret, json.dumps(secret), json.dumps(secret).replace("/", chr(92) + "/"), repr(secret)):
        print(text, file=stream)
    print(urllib.parse.quote(secret, safe=""), urllib.parse.quote(secret, safe="").lower(), file=stream)
    for before in ("", "a", "ab"):
        print(base64.encodebytes((before + secret).encode()).decode(), file=stream)
    print(secret.encode().hex(), file=stream)
raise ValueError(secret)
"""
#: The same as a session, which answers with the secret too.
ANSWERS = (
    TELLS.partition("raise")[0]
    + """
for line in sys.stdin:
    output = {"outcome": "passed", "text": secret}
    print(json.dumps({"attempt": json.loads(line)["attempt"], "output": output}), flush=True)
"""
)
ANSWERS = ANSWERS.replace("(sys.stdout, sys.stderr)", "(sys.stderr,)")
REGISTRY = """
tool answers { argv ["python3", "answers.py"], effect read_only, session }
agent ada { tool answers, scope { secrets [SENTINEL] } }
tool tells { argv ["python3", "tells.py"], effect read_only, env [SENTINEL] }
tool asks  { argv ["true"], effect external_idempotent, receipt ["python3", "tells.py"], env [SENTINEL] }
"""
STEPS = """
  step a: exec tells { on failed -> b, on passed -> b }
  step b: exec asks { on passed -> c }
  step c: agent ada { prompt "x", output { text: string }, on passed -> completed }
"""


def traces() -> set[bytes]:
    """What must be found nowhere: enough of each spelling to tell the secret."""
    plain = SENTINEL.encode()
    texts = {json.dumps(SENTINEL)[1:-1], json.dumps(SENTINEL)[1:-1].replace("/", "\\/"), repr(SENTINEL)[1:-1]}
    texts |= {quote(SENTINEL, safe=""), quote(SENTINEL, safe="").lower(), plain.hex(), "s3ntinel", "wheel house"}
    aligned = {base64.b64encode(b"x" * shift + plain)[4:20] for shift in range(3)}
    return {plain, *(text.encode() for text in texts), *aligned}


def leaks(directory: Path) -> set[str]:
    wanted = traces()
    files = [
        path for path in directory.rglob("*") if path.is_file() and path.name not in ("tells.py", "answers.py")
    ]
    assert any(path.name == "stdout" for path in files)
    return {str(path) for path in files if any(trace in path.read_bytes() for trace in wanted)}


def test_a_sentinel_is_in_no_file_of_the_store_and_in_nothing_that_is_said(person: "Person") -> None:
    person.write("tells.py", TELLS)
    person.write("answers.py", ANSWERS)
    plan = person.plan(STEPS, REGISTRY)
    ended = [person.akm("run", plan, "--id", "r", SENTINEL=SENTINEL)]
    ended += [person.akm(*words) for words in (("log", "r"), ("status", "r", "--json"), ("export", "r"))]
    ended += [person.akm("verify"), person.akm("outbox", "--json")]
    assert [one.code for one in ended] == [0] * len(ended)
    said = "".join(one.out + one.err for one in ended).encode()
    assert not [trace for trace in traces() if trace in said]
    assert leaks(person.here) == set()
    (stdout,) = (person.here / ".akm" / "runs" / "r" / "a.1.1").glob("stdout")
    assert stdout.read_text().count("***") >= 9
