"""Starting one process, and why it could not be, in words of our own."""

import errno
import os
import signal
from collections.abc import Iterable, Iterator, Mapping

#: The variable that marks a process, and all that inherit its environment, as one attempt's.
TOKEN_VARIABLE = "AKM_PROCESS_TOKEN"  # noqa: S105  # a name, and its value is no secret

_CODES = {
    errno.ENOENT: "not_found",
    errno.ENOTDIR: "not_found",
    errno.EACCES: "not_executable",
    errno.ENOEXEC: "not_executable",
    errno.EISDIR: "not_executable",
    errno.E2BIG: "argument_list_too_long",
}


class NotSpawned(Exception):
    """No process came to be. `code` is the `spawn_error` that says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def spawn(
    argv: tuple[str, ...],
    directory: str,
    environment: Mapping[str, str],
    streams: tuple[int, int, int],
    defaults: Iterable[int],
) -> int:
    """The pid of a process that leads a session and group of its own, with `streams` as its standard streams.

    The signals `defaults`, which we treat in our own way, do what they do by default in it. Raises NotSpawned.
    """
    try:
        os.chdir(directory)
    except (OSError, ValueError) as error:
        raise NotSpawned("directory_missing") from error
    try:
        return _spawn(argv, environment, streams, defaults)
    except OSError as error:
        raise NotSpawned(_CODES.get(error.errno or 0, "spawn_failed")) from error
    except ValueError as error:  # a null byte somewhere, or a variable's name with an equals sign
        raise NotSpawned("spawn_failed") from error
    finally:
        os.chdir("/")


def _spawn(
    argv: tuple[str, ...],
    environment: Mapping[str, str],
    streams: tuple[int, int, int],
    defaults: Iterable[int],
) -> int:
    actions = [(os.POSIX_SPAWN_DUP2, stream, number) for number, stream in enumerate(streams)]
    failed: OSError | None = None
    for program in _programs(argv[0], environment):
        try:
            return os.posix_spawn(
                program, argv, environment, file_actions=actions, setsid=True, setsigdef=defaults, setsigmask=()
            )
        except OSError as error:  # another of that name, further on, may do
            failed = failed or error
    raise failed or FileNotFoundError(errno.ENOENT, "no such program")


def _programs(name: str, environment: Mapping[str, str]) -> Iterator[str]:
    """The files that `name` can mean, in their order."""
    if "/" in name:
        yield name
        return
    for folder in os.get_exec_path(environment):
        program = os.path.join(folder, name)
        if os.path.exists(program):
            yield program


def ours(inherited_ignored: Iterable[int]) -> tuple[int, ...]:
    """The signals to set back to their defaults in what we start: all that Python or we treat in our own way."""
    treated = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ}
    treated |= {signal.SIGCHLD, signal.SIGUSR1}
    return tuple(treated - set(inherited_ignored))
