"""Pack a folder into an archive, look at one, and list what several hold.

Each command reads its input as JSON from standard input; `pack` and `contents` print JSON. An archive has no times
and no owners in it, so the same files always make the same bytes, and it is put into its place in one step.
"""

import hashlib
import json
import os
import sys
import zipfile
from pathlib import Path
from typing import Any

BUNDLES = Path("bundles")
#: What every file in an archive says of its age: the earliest moment that the format can tell.
NO_TIME = (1980, 1, 1, 0, 0, 0)


def main(command: str) -> int:
    """Carry out a command; exit code 1 says that an archive is not what it should be."""
    given = json.load(sys.stdin)
    if command == "pack":
        print(json.dumps(pack(Path(given["folder"]))))
    elif command == "inspect":
        return int(held(Path(given["archive"])) != found(Path(given["folder"])))
    else:
        print(json.dumps(contents([Path(archive) for archive in given["archives"]])))
    return 0


def found(folder: Path) -> dict[str, bytes]:
    """The files of a folder by their names, in order."""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}


def pack(folder: Path) -> dict[str, str]:
    """Make the archive of a folder."""
    BUNDLES.mkdir(exist_ok=True)
    archive, new = BUNDLES / f"{folder.name}.zip", BUNDLES / f".{folder.name}.{os.getpid()}"
    with zipfile.ZipFile(new, "w") as written:
        for name, data in found(folder).items():
            written.writestr(zipfile.ZipInfo(name, NO_TIME), data)
    new.replace(archive)
    return {"archive": archive.as_posix(), "sha256": hashlib.sha256(archive.read_bytes()).hexdigest()}


def held(archive: Path) -> dict[str, bytes]:
    """The files in an archive by their names."""
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def contents(archives: list[Path]) -> dict[str, Any]:
    """What all archives hold together."""
    files = [(f"{archive.stem}/{name}", len(data)) for archive in archives for name, data in held(archive).items()]
    return {"files": [name for name, _ in files], "bytes": sum(size for _, size in files)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
