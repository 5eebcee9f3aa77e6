"""Build the package's wheel into `dist/` and print its path and SHA-256 as JSON.

Standard input is `{"version": ...}`: a release of another version than the package states is refused.
Hatchling writes the same bytes for the same sources, so building again is harmless.
"""

import hashlib
import json
import os
import sys
import tempfile
import tomllib
from pathlib import Path

from hatchling.build import build_wheel

PACKAGE = Path("package")
DIST = Path("dist")


def main() -> None:
    """Check the version, build, report."""
    asked = json.load(sys.stdin)["version"]
    stated = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    if asked != stated:
        sys.exit(f"the package states version {stated}, but the release is of {asked}")
    wheel = build()
    print(json.dumps({"wheel": wheel.as_posix(), "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()}))


def build() -> Path:
    """The wheel in `dist/`, moved there whole once it is complete."""
    DIST.mkdir(exist_ok=True)
    workspace = Path.cwd()
    with tempfile.TemporaryDirectory(prefix=".build-", dir=DIST) as scratch:
        os.chdir(PACKAGE)  # a build backend builds what it stands in
        name = build_wheel(str(workspace / scratch))
        os.chdir(workspace)
        return (Path(scratch) / name).replace(DIST / name)


if __name__ == "__main__":
    main()
