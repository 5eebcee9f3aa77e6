"""Runs the release example for real, and kills the engine in the middle of publishing.

Everything happens in a temporary directory, by the same `akm` and `akmc` commands that a person types.
It ends with an error, and a message that says where, when anything goes otherwise than told.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

RELEASE = Path(__file__).parent / "release"
PROGRAMS = Path(sys.executable).parent
#: As a person who has this installation on PATH would have it. The tools' `python` comes from there too.
ENVIRONMENT = {
    **{name: text for name, text in os.environ.items() if name != "AKM_STORE"},
    "PATH": f"{PROGRAMS}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
}
RUN = "release-1"
PARKED = 4  # exit code of a run that waits for a person
#: How long to wait for the upload to begin, in seconds: far more than starting a process takes.
UPLOAD_WAIT_SECONDS_MAX = 60
LEFT_OUT = shutil.ignore_patterns("__pycache__", ".akm", "dist", "index", "*.plan.json")


class Workspace:
    """One copy of the example, and the commands typed in it."""

    def __init__(self, path: Path) -> None:
        self.path = Path(shutil.copytree(RELEASE, path, ignore=LEFT_OUT))
        self.page = path / "index" / "slugs" / "index.html"
        (path / ".akm").mkdir(mode=0o700)  # or akm would use a store that it finds further up

    def type(self, command: str, expect: int = 0) -> None:
        """Show a command, run it, and go on only if it exits as expected."""
        print(f"\n$ {command}", flush=True)
        self._check(command, subprocess.run(argv(command), cwd=self.path, env=ENVIRONMENT).returncode, expect)

    def quietly(self, command: str, expect: int = 0) -> str:
        """The standard output of a command that nobody needs to see."""
        ended = subprocess.run(argv(command), cwd=self.path, env=ENVIRONMENT, capture_output=True, text=True)
        self._check(command, ended.returncode, expect, ended.stderr)
        return ended.stdout

    def type_and_kill_while_publishing(self, command: str) -> None:
        """Show a command, run it, and kill it, with no chance to clean up, once the upload has begun."""
        print(f"\n$ {command}", flush=True)
        part = next(iter((self.path / "dist").glob("*.whl"))).name + ".part"
        with subprocess.Popen(argv(command), cwd=self.path, env=ENVIRONMENT) as engine:
            deadline = time.monotonic() + UPLOAD_WAIT_SECONDS_MAX
            while not (self.page.parent / part).exists():
                if engine.poll() is not None or time.monotonic() > deadline:
                    sys.exit(f"demo: the upload never began; look into {self.path}")
                time.sleep(0.01)
            time.sleep(0.5)  # well inside the upload, which takes longer
            engine.send_signal(signal.SIGKILL)
        print(f"Killed: the engine, process {engine.pid}, got SIGKILL while the upload was under way.")

    def published(self) -> list[str]:
        """The lines of the index page that list a wheel."""
        return [line for line in self.page.read_text(encoding="utf-8").splitlines() if "#sha256=" in line]

    def digest(self) -> str:
        """The digest of all that the run did."""
        return str(json.loads(self.quietly(f"akm digest {RUN} --json"))["digest"])

    def _check(self, command: str, code: int, expect: int, said: str = "") -> None:
        if code != expect:
            sys.exit(f"{said}demo: `{command}` exited {code}, not {expect}; look into {self.path}")


def argv(command: str) -> list[str]:
    """The words of `command`, its program taken from beside this Python."""
    program, *words = command.split()
    return [str(PROGRAMS / program), *words]


def say(heading: str, text: str) -> None:
    """A heading, and what a newcomer should know before the next command."""
    print(f"\n== {heading}\n")
    print(textwrap.fill(" ".join(text.split()), 90), flush=True)


def main() -> None:
    """The example once with a crash, once without, and what they have in common."""
    home = Path(tempfile.mkdtemp(prefix="akm-release-"))
    crashed = Workspace(home / "crashed")
    say(
        "Compile",
        """release.akm says what leads to what, registry.akm which commands may run. The compiler checks both
        and freezes them into one plan, named by its hash.""",
    )
    print(f"\n$ cd {crashed.path}")
    crashed.type("akmc compile release.akm")
    release_with_a_crash(crashed)
    undisturbed = release_undisturbed(home / "undisturbed")
    compare(crashed, undisturbed)
    say_what_next(crashed.path, home)


def release_with_a_crash(workspace: Workspace) -> None:
    """Run, sign off, publish, with the engine killed in the middle of publishing."""
    say(
        "Run",
        """The package's tests fail, an agent mends the bug, the tests pass, the wheel is built. Then the run
        parks: it waits for a person, and no process is left running.""",
    )
    workspace.type(f"akm run release.plan.json -p version=1.4.0 --id {RUN}", expect=PARKED)
    say("Sign off", "Alice approves this wheel: the decision is bound to the hash that she was shown.")
    workspace.type(f"akm approve {RUN} approve --as alice")
    say("Crash", "The run goes on, begins to publish, and the engine is killed before it can learn how that ends.")
    workspace.type_and_kill_while_publishing(f"akm resume {RUN}")
    workspace.type(f"akm status {RUN}")
    say(
        "Resume",
        """Was the wheel published or not? akm never guesses and never simply tries again: it takes up what it
        can prove, and asks the index where it cannot.""",
    )
    workspace.type(f"akm resume {RUN}")
    workspace.type(f"akm verify {RUN}")


def release_undisturbed(path: Path) -> Workspace:
    """The same release in another copy, with nothing going wrong."""
    say("Compare", "The same release once more in a fresh copy, undisturbed this time.")
    workspace = Workspace(path)
    workspace.quietly(f"akm run release.akm -p version=1.4.0 --id {RUN}", expect=PARKED)
    workspace.quietly(f"akm approve {RUN} approve --as alice")
    workspace.quietly(f"akm resume {RUN}")
    return workspace


def compare(crashed: Workspace, undisturbed: Workspace) -> None:
    """Show that the crash left no trace in what was done."""
    print(f"\nlisted in the index after the crash: {crashed.published()}")
    print(f"digest of the run with the crash:    {crashed.digest()}")
    print(f"digest of the undisturbed run:       {undisturbed.digest()}")
    if len(crashed.published()) != 1 or crashed.published() != undisturbed.published():
        sys.exit("demo: the index does not list exactly the one wheel")
    if crashed.digest() != undisturbed.digest():
        sys.exit("demo: the digests differ")
    print("\nPublished exactly once, and the crashed run did exactly what the undisturbed one did.")


def say_what_next(workspace: Path, home: Path) -> None:
    """What a newcomer can type now."""
    say("What next", "Look around in what the run left behind:")
    print(
        f"""
    cd {workspace}
    export PATH={PROGRAMS}:$PATH
    akm log {RUN}                     # every event of the run, in order
    akmc graph release.akm --to mermaid       # the workflow as a picture
    $EDITOR release.akm && akmc lint .        # change something, and hear what the compiler thinks
    rm -r {home}            # when you are done"""
    )


if __name__ == "__main__":
    main()
