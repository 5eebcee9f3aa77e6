"""A session in its smallest form: one request a line on standard input, one reply a line on standard output.

A request has `attempt`, `key`, `run`, `step` and `input`; a reply has the same `attempt`, with `output` or `exit`.
"""

import json
import sys
from typing import Any

WORDS = {
    "ebb": "The tide goes out.",
    "flow": "The tide comes in.",
    "neap": "High water is low, half-way between the moons.",
    "spring": "High water is high, at new and full moon.",
}


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """What is said to one request's input."""
    if "longest_of" in asked:
        return {"output": {"meaning": max((one["meaning"] for one in asked["longest_of"]), key=len)}}
    meaning = WORDS.get(asked["word"])
    return {"exit": 1} if meaning is None else {"output": {"meaning": meaning}}


def main() -> None:
    """Answer until nobody asks any more."""
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"attempt": request["attempt"], **answer(request["input"])}), flush=True)


if __name__ == "__main__":
    main()
