"""A scripted coding agent: it mends the one bug of this example, and says so by a declared result.

`mend` changes the source. `find` is the receipt query: whether the mend is already there.
Both read the engine's request as JSON from standard input.
"""

import json
import os
import sys
from pathlib import Path

SOURCE = Path("package/src/slugs/__init__.py")
BROKEN = """re.sub(r"[^a-z0-9]", "-", plain)"""
MENDED = """re.sub(r"[^a-z0-9]+", "-", plain).strip("-")"""
SUMMARY = "Each separator became a dash of its own; now a run of them becomes one, and none stays at an end."


def main(command: str) -> None:
    """Run `mend` or `find`."""
    request = json.load(sys.stdin)
    if command == "find":
        print(json.dumps(find()))
        return
    print(f"The task: {request['prompt'].splitlines()[0]}")
    print(json.dumps(mend()))


def mend() -> dict[str, str]:
    """Replace the broken expression by the mended one, whole or not at all."""
    text = SOURCE.read_text(encoding="utf-8")
    if BROKEN in text:
        replace(SOURCE, text.replace(BROKEN, MENDED))
    elif MENDED not in text:
        return {"outcome": "failed", "summary": f"{SOURCE} holds neither the known bug nor its mend."}
    return {"outcome": "passed", "summary": SUMMARY}


def find() -> dict[str, object]:
    """The receipt is what the agent would have answered."""
    if MENDED in SOURCE.read_text(encoding="utf-8"):
        return {"found": True, "receipt": {"summary": SUMMARY}}
    return {"found": False}


def replace(path: Path, text: str) -> None:
    """Write `path` so that a kill at any moment leaves the old or the new file."""
    draft = Path(f"package/mend.{os.getpid()}.part")  # a leftover among the sources would reach the wheel
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


if __name__ == "__main__":
    main(sys.argv[1])
