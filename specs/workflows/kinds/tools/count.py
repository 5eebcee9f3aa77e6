"""Counts words: a tool those of its input, an agent those that it is given, a judge whether there are any."""

import json
import sys


def main() -> int:
    """Answer in the form that was asked for."""
    text = sys.stdin.read()
    given = json.loads(text) if text.strip() else {}
    words = len(json.dumps(given.get("inputs", given)).split())
    if "--check" in sys.argv:
        return 0
    if "prompt" not in given:
        answer: dict[str, object] = {"words": words}
    elif given["outcomes"]:
        answer = {"outcome": "passed", "words": words}
    else:
        answer = {"complete": words > 0}
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
