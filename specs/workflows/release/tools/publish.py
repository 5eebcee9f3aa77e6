"""Publish a wheel into a local package index, at most once.

`upload` puts the wheel there and lists it on the project's page; `find` is the receipt query.
Both read `{"wheel": PATH, "sha256": HEX}` from standard input and print JSON.

The index is a plain directory that pip can install from (`pip install --index-url file://...`).
A wheel counts as published from the moment at which the page lists it, and the page is replaced in one
step under a lock: a kill at any moment leaves a wheel that is published, or one that is not.
"""

import contextlib
import fcntl
import hashlib
import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

INDEX = Path("index")
#: A copy between two directories is over at once. A real upload is not, and it is the moment at which a
#: crash hurts, so this one takes its time, in seconds and in steps.
UPLOAD_SECONDS = 1.5
UPLOAD_CHUNKS = 15

LISTED = re.compile(r'<a href="(?P<file>[^"#]+)#sha256=(?P<sha256>[0-9a-f]{64})">')


def main(command: str) -> None:
    """Run `upload` or `find`."""
    request = json.load(sys.stdin)
    wheel, sha256 = Path(request["wheel"]), request["sha256"]
    answer = {"upload": upload, "find": find}[command]
    with locked(INDEX / wheel.name.partition("-")[0]) as project:
        print(json.dumps(answer(wheel, sha256, project)))


def upload(wheel: Path, sha256: str, project: Path) -> dict[str, object]:
    """Publish the wheel. Refused when its name is taken, or its content is not what was signed off."""
    published = listed(project)
    if wheel.name in published:
        sys.exit(f"{wheel.name} is already published")
    content = wheel.read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        sys.exit(f"{wheel} is not the file with SHA-256 {sha256}")
    send(content, project / wheel.name)
    list_page(project, {**published, wheel.name: sha256})
    return {"file": wheel.name, "sha256": sha256}


def find(wheel: Path, sha256: str, project: Path) -> dict[str, object]:
    """Whether exactly this wheel is published. Another content under its name is no answer, but an error."""
    found = listed(project).get(wheel.name)
    if found is None:
        return {"found": False}
    if found != sha256:
        sys.exit(f"{wheel.name} is published with SHA-256 {found}, not {sha256}")
    return {"found": True, "receipt": {"file": wheel.name, "sha256": sha256}}


@contextlib.contextmanager
def locked(project: Path) -> Iterator[Path]:
    """The project's directory, held by one process at a time: no answer while an upload is in flight."""
    project.mkdir(parents=True, exist_ok=True)
    with (project / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield project


def listed(project: Path) -> dict[str, str]:
    """What the page lists: file names and their SHA-256."""
    page = project / "index.html"
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    return {match["file"]: match["sha256"] for match in LISTED.finditer(text)}


def send(content: bytes, target: Path) -> None:
    """Copy slowly, under a name that nobody looks for, then take the right name."""
    part = target.with_name(f"{target.name}.part")
    size = -(-len(content) // UPLOAD_CHUNKS)
    with part.open("wb") as file:
        for start in range(0, len(content), size):
            file.write(content[start : start + size])
            file.flush()
            time.sleep(UPLOAD_SECONDS / UPLOAD_CHUNKS)
    part.replace(target)


def list_page(project: Path, published: dict[str, str]) -> None:
    """Replace the page by one that lists `published`, in one step."""
    links = [f'<a href="{file}#sha256={sha256}">{file}</a><br>' for file, sha256 in published.items()]
    draft = project / "index.html.part"
    lines = ["<!DOCTYPE html>", "<html><body>", *links, "</body></html>"]
    draft.write_text("\n".join(lines) + "\n", encoding="utf-8")
    draft.replace(project / "index.html")


if __name__ == "__main__":
    main(sys.argv[1])
