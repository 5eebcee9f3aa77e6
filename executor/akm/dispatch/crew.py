"""A supervisor as its engine sees it: a process at the other end of two pipes.

It is started once and serves one attempt after the other, since a start costs many times what `true` costs. It is
given no secret but in a request, and nothing of ours that it would keep open after our end.
"""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from signal import SIGUSR1
from threading import Thread
from typing import Any

from akm.dispatch.supervisor.request import Request, send

_PROGRAM = (
    "import sys; sys.path[:0] = sys.argv[1:]; from akm.dispatch.supervisor.main import main; sys.exit(main())"
)
#: What Python itself needs of the environment, to start and to read the names of files as we do.
_NAMES = ("LANG", "LC_ALL", "LC_CTYPE")
_PREFIXES = ("LD_", "DYLD_")
#: How long one without work may take to end when its engine goes, in seconds.
_LEAVE_S = 5.0
_REPLY_BYTES_MAX = 64 * 1024


class Supervisor:
    """One supervisor process of ours."""

    def __init__(self) -> None:
        """Start it, which goes on while we do other things. Raises OSError."""
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _PROGRAM, *_roots()],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={name: text for name, text in os.environ.items() if name in _NAMES or name.startswith(_PREFIXES)},
            start_new_session=True,
        )
        assert self._process.stdin is not None, "asked for"
        assert self._process.stdout is not None, "asked for"
        self._requests, self._replies = self._process.stdin, self._process.stdout
        self._heard = b""

    @property
    def replies(self) -> int:
        """Can be read when it has something to tell, or has ended."""
        return self._replies.fileno()

    def ask(self, request: Request) -> None:
        """Give it work. Raises BrokenPipeError when it is gone."""
        send(self._requests.fileno(), request)

    def hear(self) -> tuple[str, dict[str, Any]] | None:
        """What it tells, kind and content; None when it has ended."""
        while not self._heard.endswith(b"\n"):
            data = os.read(self.replies, _REPLY_BYTES_MAX)
            if not data:
                return None
            self._heard += data
        told, self._heard = self._heard, b""
        ((kind, content),) = json.loads(told).items()
        return kind, content

    def wake(self) -> None:
        """Make it look whether its process is to be stopped."""
        self._process.send_signal(SIGUSR1)

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self._process.kill()
        self.leave()

    def leave(self, *, at_work: bool = False) -> None:
        """Let it end; one that is at work for another engine does so when that is over."""
        self._requests.close()
        self._replies.close()
        if at_work:
            Thread(target=self._process.wait, daemon=True).start()  # or it would stay a zombie
            return
        try:
            self._process.wait(_LEAVE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _roots() -> list[str]:
    """Where the supervisor finds what it imports; without `site`, it is told."""
    names = ("akm", "akm_specs") if sys.platform == "linux" else ("akm", "akm_specs", "psutil")
    origins = [spec.origin for name in names if (spec := find_spec(name)) is not None]
    return list(dict.fromkeys(str(Path(origin).parents[1]) for origin in origins if origin is not None))
