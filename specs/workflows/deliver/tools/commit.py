"""Makes two small repositories with a bare remote each, and commits a note to both.

The same note makes the same commits, however often this runs and whoever runs it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

MOMENT = "2026-01-01T00:00:00Z"
WHO = {
    f"GIT_{role}_{what}": text
    for role in ("AUTHOR", "COMMITTER")
    for what, text in (("NAME", "alice"), ("EMAIL", "alice@example.org"), ("DATE", MOMENT))
}
OURS_ALONE = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


def git(*words: str, directory: Path) -> str:
    """What `git WORDS` says."""
    environment = {**os.environ, **WHO, **OURS_ALONE}
    told = subprocess.run(["git", *words], cwd=directory, env=environment, stdout=subprocess.PIPE, check=True)
    return told.stdout.decode().strip()


def commit(name: str, note: str) -> str:
    """Commit `note` to repository `name`, which is made where it is not there; the commit."""
    work, remote = Path("work", name), Path("remotes", f"{name}.git")
    for folder, bare in ((work, ()), (remote, ("--bare",))):
        folder.mkdir(parents=True, exist_ok=True)
        git("init", "--quiet", *bare, directory=folder)
    (work / "note.txt").write_text(f"{name}: {note}\n")
    git("add", "note.txt", directory=work)
    tree = git("write-tree", directory=work)
    made = git("commit-tree", "-m", "Add the note", tree, directory=work)
    git("update-ref", "HEAD", made, directory=work)
    return made


def main() -> None:
    """Read the note, and tell both commits."""
    note = json.load(sys.stdin)["note"]
    print(json.dumps({name: commit(name, note) for name in ("site", "docs")}))


if __name__ == "__main__":
    main()
