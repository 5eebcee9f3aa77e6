"""Installs this checkout into `.venv` beside it, then shows it or tests it.

    python3 bootstrap.py demo      the release example, with a crash in the middle
    python3 bootstrap.py test      the test suite; further words go to pytest

Needs Python 3.11 to 3.13 with pip, and nothing else. The environment is kept and used again.
"""

from __future__ import annotations  # so that an older Python gets as far as the message for it

import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

CHECKOUT = Path(__file__).resolve().parent
ENVIRONMENT = CHECKOUT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
#: Says what was installed, and so whether it must be installed again.
STAMP = ENVIRONMENT / "bootstrap.json"

PYTHON_VERSIONS = ((3, 11), (3, 12), (3, 13))
#: The first pip that can install into an environment which has no pip of its own.
PIP_VERSION_MIN = (22, 3)

#: Variables that point Python elsewhere, or keep it from keeping what it compiles: our processes are many.
NOT_OURS = ("PYTHONHOME", "PYTHONPATH", "PIP_USER", "PYTHONDONTWRITEBYTECODE")

#: For each command: the extra it needs, and what the environment's python then runs.
COMMANDS = {
    "demo": ("example", ["specs/workflows/release_demo.py"]),
    "test": ("dev", ["-m", "pytest", "-n", "3"]),
}


def main(words: list[str]) -> NoReturn:
    """Install what the command needs, then become the command."""
    if not words or words[0] not in COMMANDS:
        print(__doc__)
        sys.exit(0 if words[:1] in (["-h"], ["--help"]) else 2)
    require_supported_python()
    extra, arguments = COMMANDS[words[0]]
    with Path(__file__).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two of us at once would install over each other
        install(extra)
    os.chdir(CHECKOUT)
    os.execve(PYTHON, [str(PYTHON), *arguments, *words[1:]], environment())


def require_supported_python() -> None:
    """Go on under a Python that the project supports: this one, else one from PATH."""
    if sys.version_info[:2] in PYTHON_VERSIONS:
        return
    for major, minor in reversed(PYTHON_VERSIONS):
        other = shutil.which(f"python{major}.{minor}")
        if other and subprocess.run([other, "-c", ""], capture_output=True).returncode == 0:
            os.execv(other, [other, *sys.argv])
    stop(f"this is Python {sys.version.split()[0]}, and none of python3.11 to python3.13 is on PATH: install one")


def install(extra: str) -> None:
    """Make the environment hold this checkout with `extra`. Returns at once when it already does."""
    base = {"python": [sys.version, sys.base_prefix], "checkout": str(CHECKOUT)}
    project = hashlib.sha256((CHECKOUT / "pyproject.toml").read_bytes()).hexdigest()
    stamp = read_stamp()
    fresh = stamp.get("base") != base or not PYTHON.exists()
    installed = stamp["extra"] if stamp.get("project") == project and not fresh else None
    if installed in (extra, "dev"):  # dev holds whatever example does
        return
    print(f"Installing into {ENVIRONMENT} (once; about a minute) ...", file=sys.stderr, flush=True)
    if fresh:
        create_environment(clear=bool(stamp))
    command = [*installer(), "install", "-qq", "--disable-pip-version-check"]
    if subprocess.run([*command, "--editable", f"{CHECKOUT}[{extra}]"], env=environment()).returncode != 0:
        stop("pip could not install the project; what it says stands above. Mend that and type the same again")
    STAMP.write_text(json.dumps({"base": base, "project": project, "extra": extra}))


def read_stamp() -> dict[str, Any]:
    """What the last installation wrote; empty when there was none."""
    try:
        stamp: dict[str, Any] = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return stamp


def create_environment(*, clear: bool) -> None:
    """An environment without pip, since not every system ships what would put pip into it.

    `clear` only where an earlier bootstrap made what is there: anything else is not ours to delete.
    """
    try:
        import venv
    except ImportError:
        stop("this Python has no venv module: install it (on Debian: apt install python3-venv)")
    venv.EnvBuilder(clear=clear, symlinks=True).create(ENVIRONMENT)


def installer() -> list[str]:
    """The start of a pip command that installs into the environment."""
    version = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, text=True)
    words = version.stdout.split()
    if version.returncode == 0 and tuple(int(part) for part in words[1].split(".")[:2]) >= PIP_VERSION_MIN:
        return [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    if importlib.util.find_spec("ensurepip") is None:
        stop("this Python has no pip of at least 22.3: install it (on Debian: apt install python3-pip)")
    subprocess.run([str(PYTHON), "-m", "ensurepip"], check=True, stdout=subprocess.DEVNULL, env=environment())
    return [str(PYTHON), "-m", "pip"]


def environment() -> dict[str, str]:
    """Our variables as if the environment were activated, without those that do not fit it."""
    kept = {name: text for name, text in os.environ.items() if name not in NOT_OURS}
    path = os.pathsep.join([str(PYTHON.parent), kept.get("PATH", os.defpath)])
    return {**kept, "VIRTUAL_ENV": str(ENVIRONMENT), "PATH": path}


def stop(message: str) -> NoReturn:
    """End with a message that says what to do."""
    sys.exit(f"bootstrap: {message}.")


if __name__ == "__main__":
    main(sys.argv[1:])
