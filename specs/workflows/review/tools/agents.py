"""Scripted agents: a critic, a writer, and a judge. Each reads the engine's request and answers as a model would.

The writer forgets the recommendation until it is told so, so that its gate has something to reject.
"""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

#: Words of a sentence that a reader follows at once.
SENTENCE_WORDS_MAX = 20

Request = Mapping[str, Any]


def critic(request: Request) -> dict[str, Any]:
    """Name the texts with a sentence that is too long."""
    measures = request["inputs"]["measure.output"]
    long = [each["path"] for each in measures if each["longest"] > SENTENCE_WORDS_MAX]
    return {"outcome": "passed", "note": f"too long: {', '.join(long)}" if long else "nothing is too long"}


def writer(request: Request) -> dict[str, Any]:
    """Sum up what the critics said; recommend something once the judge has missed it."""
    notes = [each["note"] for each in request["inputs"]["critique.output"] if each is not None]
    report = f"{len(request['inputs']['measure.output'])} texts; {len(notes)} critics say: {notes[0]}."
    if "feedback" in request:
        report += " Recommendation: cut the longest sentences in two."
    return {"outcome": "passed", "report": report}


def judge(request: Request) -> dict[str, Any]:
    """Hold the artifact against the rubric."""
    artifact = request["inputs"]["artifact"]
    wanted = "Recommendation" if "recommendation" in request["prompt"] else "texts"
    if wanted in artifact:
        return {"complete": True}
    return {"complete": False, "feedback": f"The artifact has no word of {wanted!r}.", "missing": [wanted]}


ROLES: dict[str, Callable[[Request], dict[str, Any]]] = {"critic": critic, "writer": writer, "judge": judge}


def main(role: str) -> None:
    """Answer one request in `role`."""
    print(json.dumps(ROLES[role](json.load(sys.stdin))))


if __name__ == "__main__":
    main(sys.argv[1])
