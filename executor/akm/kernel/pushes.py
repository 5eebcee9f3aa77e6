"""Pushes: what git is asked to do for one repository's share of a delivery, and what its answers mean.

A branch of the run's own takes one exact commit. Nothing that is there is ever overwritten: a push is refused
where the branch is there already with another commit, and changes nothing where it has this one.
Source: deliveries in docs/reference/engine.md.
"""

import re

from akm.kernel.identity import AssignmentId
from akm.kernel.observation import AttemptEnded
from akm.kernel.state import Delivery, RunState
from akm_specs.canonical import Json
from akm_specs.plan import Plan, Repository, Tool

#: What git must not do by itself: ask anybody, or follow settings of the person or the machine it runs for.
VARIABLES = (
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GIT_SSH_COMMAND", "ssh -o BatchMode=yes"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("LC_ALL", "C"),
)
#: An answer is a line for each branch; this many bytes of it are read.
OUTPUT_BYTES_MAX = 64 * 1024

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
#: A push tells of each branch: a sign, from where to where, and how it went.
_REFUSED = re.compile(r"^!\t[^\t]*\t(?P<how>\[[a-z ]+\])[ ]?(?P<why>[^\n]{0,200})", re.MULTILINE)


def is_commit(value: Json) -> bool:
    """Whether `value` names one commit, spelt out in full."""
    return isinstance(value, str) and _COMMIT.fullmatch(value) is not None


def branch(run: str, step: str, number: int) -> str:
    """The branch that the `number`th entry of `step` delivers to: of this run, this step and this entry alone."""
    return f"akm/{run}/{step}-{number}"


def tool(repository: Repository, timeout_ms: int) -> Tool:
    """Pushing to `repository` as a tool, so that a push is work like any other."""
    return {
        "argv": ["git", "push", repository["remote"]],
        "effect": "external_idempotent",
        "timeout_ms": {"value": timeout_ms, "origin": "declared"},
        "output_bytes_max": {"value": OUTPUT_BYTES_MAX, "origin": "defaulted"},
        "receipt": ["git", "ls-remote", repository["remote"]],
        "env": [],
        "directory": repository["directory"],
        "scripts": [],
    }


def delivery_of(state: RunState, found: AssignmentId) -> Delivery:
    """The delivery that a push belongs to, which has its commits by now."""
    return state.deliveries[found.step]


def push(plan: Plan, state: RunState, found: AssignmentId) -> tuple[str, ...]:
    """The command that pushes: only where there is no such branch yet, and nothing but this commit."""
    delivery, ref = delivery_of(state, found), f"refs/heads/{delivery_of(state, found).branch}"
    flags = ("--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no")
    lease = f"--force-with-lease={ref}:"  # nothing may be there; of itself this forces nothing
    return ("git", "push", *flags, lease, "--", _remote(plan, found), f"{delivery.commits[found.part]}:{ref}")


def query(plan: Plan, state: RunState, found: AssignmentId) -> tuple[str, ...]:
    """The command that asks what the remote has."""
    return ask(_remote(plan, found), delivery_of(state, found).branch)


def ask(remote: str, of: str) -> tuple[str, ...]:
    """The command that asks which commit the branch `of` has; a remote without it answers with nothing."""
    return ("git", "ls-remote", "--", remote, f"refs/heads/{of}")


def receipt(plan: Plan, state: RunState, found: AssignmentId) -> Json:
    """What proves a push: the remote has the commit on the delivery's branch."""
    return {"remote": _remote(plan, found), "commit": delivery_of(state, found).commits[found.part]}


def refusal(end: AttemptEnded) -> tuple[str, str | None]:
    """Why a push that ended by itself did not push, as a code, and what git said of it."""
    text = (end.stdout or b"").decode("utf-8", errors="replace")
    said = _REFUSED.search(text)
    if said is None:
        return f"exit_{end.exit_code}", None
    how, why = said["how"], said["why"].strip("()")
    return ("push_refused" if how == "[remote rejected]" else "branch_taken"), f"{how} {why}".strip()


def _remote(plan: Plan, found: AssignmentId) -> str:
    return plan["repositories"][found.part]["remote"]
