"""Measure one text: how many words it has, and how many the longest sentence of it.

The path comes as JSON on standard input; the measures go to standard output as JSON.
"""

import json
import re
import sys
from pathlib import Path


def main() -> None:
    """Answer one request."""
    path = json.load(sys.stdin)["path"]
    sentences = re.split(r"[.!?]", Path(path).read_text(encoding="utf-8"))
    lengths = [len(sentence.split()) for sentence in sentences]
    print(json.dumps({"path": path, "words": sum(lengths), "longest": max(lengths)}))


if __name__ == "__main__":
    main()
