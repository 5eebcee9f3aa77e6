"""What a process is started with, and what a session is asked: command, place, environment and input."""

from collections.abc import Mapping
from pathlib import Path

from akm.dispatch.environment import tool_environment
from akm.dispatch.process import ProcessRequest
from akm.dispatch.sessions import SessionRequest, request_line
from akm.dispatch.strays import token_of
from akm.kernel.command import AskReceipt, StartAttempt
from akm_specs.canonical import canonical


class Starts:
    """Makes the requests of one run. `folder` is where the output of all its work is kept."""

    def __init__(self, run: str, folder: Path, ambient: Mapping[str, str]) -> None:
        self._run = run
        self._folder = folder
        self._ambient = ambient

    def process(
        self,
        command: StartAttempt | AskReceipt,
        root: Path,
        folder: Path,
        work: str,
        variables: Mapping[str, str],
        output_bytes_max: int,
    ) -> ProcessRequest:
        """A process of its own, which works below `root` and whose output goes to `folder`."""
        environment = tool_environment(command.env, self._ambient)
        stdin = None if command.input is None else canonical(command.input)
        if stdin is not None:
            variables = {**variables, "AKM_INPUT": str(folder / "input.json")}
        return ProcessRequest(
            argv=command.argv,
            directory=root / command.directory,
            stdin=stdin,
            environment={**environment.variables, **variables, **dict(command.variables)},
            secrets=environment.secrets,
            timeout_ms=command.timeout_ms,
            output_bytes_max=output_bytes_max,
            folder=folder,
            work=work,
            token=token_of(folder),
        )

    def session(self, command: StartAttempt, session: str, root: Path, work: Path) -> SessionRequest:
        """A question to a session; `work` is the folder of the attempt that asks."""
        environment = tool_environment(command.env, self._ambient)
        folder = self.session_folder(session)
        return SessionRequest(
            id=session,
            argv=command.argv,
            directory=root / command.directory,
            environment={
                **environment.variables,
                "AKM_RUN": self._run,
                "AKM_SESSION": session,
                **dict(command.variables),
            },
            secrets=environment.secrets,
            folder=folder,
            token=token_of(folder),
            work=work,
            line=request_line(command.attempt, command.key, self._run, command.step, command.input),
            timeout_ms=command.timeout_ms,
            output_bytes_max=command.output_bytes_max,
        )

    def session_folder(self, session: str) -> Path:
        """Where the standard error of a session is kept."""
        return self._folder / session
