"""What must be there before a run's first step: workspace, tools, scripts, environment.

Found out once, in `preparing`, so that a missing secret stops a run before it has done anything.
"""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from akm.dispatch.environment import tool_environment
from akm.engine import worktrees
from akm.engine.files import Files
from akm.journal.history import OpenRun
from akm.kernel.command import AskReceipt, StartAttempt
from akm.kernel.scopes import secrets_of_steps
from akm_specs.plan import Plan, Tool


class NotReady(Exception):
    """Something that the run needs is missing here; the run stays where it is until it is there."""


def require_ready(run: OpenRun, ambient: Mapping[str, str]) -> None:
    """Look again before a run in flight goes on. Raises NotReady with everything that is missing."""
    if run.state.status in ("created", "preparing"):
        return  # the first look is the run's own, and recorded
    found = problems(run.plan, run.workspace, ambient)
    if found:
        raise NotReady(f"run {run.run} cannot go on here: {'; '.join(found)}")


def problems(plan: Plan, workspace: str, ambient: Mapping[str, str]) -> tuple[str, ...]:
    """Everything that is missing, in words; values behind names are never told."""
    root = Path(workspace)
    if not root.is_dir():
        return (f"the workspace {workspace} is not a directory",)
    found: list[str] = []
    for name, tool in plan["tools"].items():
        if "reserved" in tool:
            found.append(f"tool {name} is reserved: its name is known, but nothing that could be started")
            continue
        directory = root / tool["directory"]
        if not directory.is_dir():
            found.append(f"tool {name}: its directory {tool['directory']!r} is not in the workspace")
            continue
        found += [
            f"tool {name}: {argv[0]!r} is not found, or is not executable"
            for argv in (tool["argv"], tool["receipt"])
            if argv and not _runnable(argv[0], directory, ambient.get("PATH"))
        ]
        found += [
            f"tool {name}: environment variable {variable} is not set"
            for variable in tool["env"]
            if variable not in ambient
        ]
        found += [
            f"tool {name}: {script['path']!r} is not the file that the plan pins"
            for script in tool["scripts"]
            if Files(root).sha256(script["path"], tool["directory"]) != script["sha256"]
        ]
        if "python" in tool:
            found += _missing_function(name, tool["python"], tool)
    found += [
        f"step {step}: environment variable {variable}, a secret of its scope, is not set"
        for step, variable in secrets_of_steps(plan)
        if variable not in ambient
    ]
    isolated = next((step["name"] for step in plan["steps"] if step.get("isolation") == "worktree"), None)
    refused = None if isolated is None else worktrees.check(root)
    if refused is not None:
        found.append(f"step {isolated}: the workspace cannot have worktrees: {refused}")
    found += _repository_problems(plan, root, ambient)
    return tuple(dict.fromkeys(found))


def _repository_problems(plan: Plan, root: Path, ambient: Mapping[str, str]) -> Iterator[str]:
    """What deliveries lack. Repositories, which earlier steps may make, are looked at when they are due."""
    delivers = any(step["kind"] == "deliver" for step in plan["steps"])
    if delivers and not _runnable("git", root, ambient.get("PATH")):
        yield "git is not found, and a step delivers repositories"


def _missing_function(name: str, python: str, tool: Tool) -> tuple[str, ...]:
    """Why the function of a Python tool cannot be called; none where it can."""
    from akm.engine.callables import FunctionMissing, function_named

    try:
        function_named(python, tool)
    except FunctionMissing as missing:
        return (f"tool {name}: {missing}",)
    return ()


def refusal(command: StartAttempt | AskReceipt, files: Files, ambient: Mapping[str, str]) -> str | None:
    """Why nothing may be started just now, as a machine code: the last look before a process or a call."""
    if tool_environment(command.env, ambient).missing:
        return "environment_missing"
    pinned = ((script["path"], script["sha256"]) for script in command.scripts)
    if any(files.sha256(path, command.directory) != sha256 for path, sha256 in pinned):
        return "script_changed"
    return None


def _runnable(program: str, directory: Path, path: str | None) -> bool:
    if "/" in program:
        program = str(directory / program)
    return shutil.which(program, path=path) is not None
