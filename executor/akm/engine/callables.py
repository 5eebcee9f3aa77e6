"""Tools that are functions of the host program: found by name when a run is prepared, called in their turn.

A function is imported as any module of the host program is: nothing is added to its path.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from akm.dispatch.call_log import CallLog
from akm.dispatch.environment import tool_environment
from akm.dispatch.functions import CurrentAttempt, FunctionEnd, FunctionRequest, Functions
from akm.engine.workplaces import Workplaces
from akm.kernel import outcome
from akm.kernel.attempts import REPEATABLE
from akm.kernel.command import StartAttempt
from akm.kernel.identity import assignment_of
from akm.kernel.observation import AttemptEnded, AttemptLost, LossCause
from akm.kernel.units import unit_of
from akm_specs.canonical import hash_bytes
from akm_specs.plan import Plan, Tool

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

#: The event loop of the host program, where it has one.
Loop: TypeAlias = "AbstractEventLoop | None"


class FunctionMissing(Exception):
    """No function is there by this name, or its module is not the one that the plan pins."""


def function_named(name: str, tool: Tool) -> Callable[..., Any]:
    """The function `module:function` of the host program. Raises FunctionMissing."""
    module_name, _, path = name.partition(":")
    try:
        module = import_module(module_name)
    except Exception as error:
        raise FunctionMissing(f"{name!r} cannot be imported: {type(error).__name__}: {error}") from error
    found: Any = module
    for part in path.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise FunctionMissing(f"{name!r}: the module has no such function")
    pins = _module_pins(module_name, tool)
    if pins and _hash_of(getattr(module, "__file__", None)) not in pins:
        raise FunctionMissing(f"{name!r}: the module that is imported is not the file that the plan pins")
    checked: Callable[..., Any] = found
    return checked


def _module_pins(module: str, tool: Tool) -> set[str]:
    path = module.replace(".", "/")
    files = (f"./{path}.py", f"./{path}/__init__.py")
    return {script["sha256"] for script in tool["scripts"] if script["path"] in files}


def _hash_of(file: str | None) -> str | None:
    try:
        return hash_bytes(Path(file).read_bytes()) if file is not None else None
    except OSError:
        return None


class Calls:
    """The calls of one run, as arrivals."""

    def __init__(
        self,
        run: str,
        plan: Plan,
        wake: Callable[[], None],
        workplaces: Workplaces,
        now_ms: Callable[[], int],
        loop: Loop,
        log: CallLog,
    ) -> None:
        """`wake` makes the driver look here; `workplaces` know where an attempt works; `log` what was begun."""
        self._run = run
        self._plan = plan
        self._workplaces = workplaces
        self._now_ms = now_ms
        self._functions = Functions(wake, loop)
        self._log = log
        self._found: dict[str, Callable[..., Any]] = {}
        self._abandoned = False

    def makes(self, attempt: str) -> bool:
        """Whether `attempt` is the call of a function."""
        return "python" in unit_of(self._plan, assignment_of(attempt)).tool

    def intends(self, attempt: str) -> bool:
        """To be asked before an intent is recorded: False where `attempt` is no call. Raises OSError."""
        if self.makes(attempt):
            self._log.open()
            return True
        return False

    def recover(self, attempt: str) -> AttemptLost | None:
        """What an engine before us left of a call: None where it provably never began it."""
        return None if self._log.never_began(attempt) else self._lost(attempt)

    def revoke(self, attempt: str) -> AttemptEnded | AttemptLost:
        """A call that was not begun here never will be, unless an engine before us has begun it."""
        if self._log.never_began(attempt):
            return AttemptEnded(self._now_ms(), attempt, never_started="not_started")
        return self._lost(attempt)

    def _lost(self, attempt: str) -> AttemptLost:
        """It may have begun, and has gone with its engine."""
        return AttemptLost(self._now_ms(), attempt, "crash", changed=self._workplaces.give_up(attempt))

    def start(self, command: StartAttempt, root: Path, folder: Path, ambient: Mapping[str, str]) -> None:
        """Begin the call that `command` asks for, or tell that there is no such function. It works in `root`."""
        try:
            function = self._function(command)
            begins = self._log.begin(command.attempt)
        except FunctionMissing:
            self._functions.refuse(command.attempt, FunctionEnd(never_started="not_found"))
            return
        except OSError:
            self._functions.refuse(command.attempt, FunctionEnd(never_started="folder_unusable"))
            return
        if not begins:
            self._functions.refuse(command.attempt, FunctionEnd(unknown=True))
            return
        request = FunctionRequest(
            function=function,
            input=command.input,
            current=CurrentAttempt(self._run, command.step, command.attempt, command.key, root),
            timeout_ms=command.timeout_ms,
            output_bytes_max=command.output_bytes_max,
            secrets=tool_environment(command.env, ambient).secrets if command.env else (),
            folder=folder,
            answers=command.reads_stdout,
        )
        self._functions.start(command.attempt, request)

    def _function(self, command: StartAttempt) -> Callable[..., Any]:
        assert command.python is not None, command.attempt
        found = self._found.get(command.tool)
        if found is None:
            found = function_named(command.python, self._plan["tools"][command.tool])
            self._found[command.tool] = found
        return found

    def stop(self, attempt: str) -> None:
        """Ask a call to end. Returns at once."""
        self._functions.stop(attempt)

    def arrival(self) -> AttemptEnded | AttemptLost | None:
        """The next end, if there is one."""
        told = self._functions.ended()
        return None if told is None else self._arrived(*told)

    def abandon(self) -> None:
        """End everything under way: what is told from now on and was cut off counts as lost. Bounded."""
        self._abandoned = True
        self._functions.drain()

    def close(self) -> None:
        """Let all threads go, after `abandon`."""
        self._functions.close()
        self._log.close()

    def _arrived(self, attempt: str, end: FunctionEnd) -> AttemptEnded | AttemptLost:
        unit = unit_of(self._plan, assignment_of(attempt))
        # what may be repeated may also go on beside its repetition; of anything else a person has to know
        harmful = end.goes_on and unit.tool["effect"] not in REPEATABLE
        left = (f"function {unit.tool['python']} still runs",) if harmful and "python" in unit.tool else ()
        if end.unknown or (self._abandoned and end.stopped):
            cause: LossCause = "unobserved" if end.unknown else "interrupt"
            return AttemptLost(self._now_ms(), attempt, cause, left, self._workplaces.give_up(attempt))
        stdout = end.stdout
        names = outcome.named_files(unit, stdout) if stdout and not end.truncated else ()
        files = self._workplaces.keep(attempt, names, changes=end.never_started is None)
        self._workplaces.leave(attempt)
        return AttemptEnded(
            at_ms=self._now_ms(),
            attempt=attempt,
            exit_code=None if end.never_started else end.exit_code,
            never_started=end.never_started,
            timed_out=end.timed_out,
            stopped=end.stopped,
            stdout=stdout,
            truncated=end.truncated,
            files=files,
            survivors=left,
        )
