"""git on this disk, as the engine itself asks it: no hook, no monitor and no variable of the caller takes part."""

import os
import subprocess
from pathlib import Path

#: How long one git command may take, in seconds: it works on this disk alone.
GIT_WAIT_S = 120
_SETTINGS = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")


class GitRefused(Exception):
    """There is no git, no repository, no commit, or git refuses; the message says what git said."""


def git(directory: Path, *words: str) -> bytes:
    """What `git WORDS` prints in `directory`. It takes no lock that it can do without. Raises GitRefused."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        ended = subprocess.run(
            ("git", *_SETTINGS, "-C", os.fspath(directory), *words),
            env={**environment, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_WAIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitRefused(f"git {words[0]}: {error}") from error
    if ended.returncode != 0:
        raise GitRefused(f"git {words[0]}: {ended.stderr.decode(errors='replace').strip()[:300]}")
    return ended.stdout
