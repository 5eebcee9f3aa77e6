"""What a map of ten times the items costs, in time and memory: `python benchmarks/map_size.py`.

Each item is a call of a function that returns at once. Every size is a run in a process of its own: how long
the run took is told, and the peak of the process's memory.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOOLS = "def unit(given):\n    return None\n"
REGISTRY = 'tool unit { python "map_size_tools:unit", effect read_only }\n'
WORKFLOW = """
workflow sizes "A map" {
  param numbers: list max 10000 of int
  limits { units 10000 }
  step all: map number in params.numbers { run tool unit, parallel 64, on passed -> completed }
}
"""
#: `ru_maxrss` counts kibibytes, on macOS bytes.
RSS_BYTES = 1 if sys.platform == "darwin" else 1024


def once(count: int) -> None:
    """Drive one run, and print what it took."""
    import akm

    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        sys.path.insert(0, folder)
        (here / "map_size_tools.py").write_text(TOOLS, encoding="utf-8")
        (here / "registry.akm").write_text(REGISTRY, encoding="utf-8")
        (here / "sizes.akm").write_text(WORKFLOW, encoding="utf-8")
        begun = time.perf_counter()
        found = akm.run(here / "sizes.akm", {"numbers": list(range(count))}, store=here / ".akm")
        took_s = time.perf_counter() - begun
    if found.status != "completed":
        sys.exit(f"the run of {count} items ended {found.status}")
    peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_BYTES
    print(json.dumps({"took_s": took_s, "peak_bytes": peak_bytes}))


def measured(count: int) -> dict[str, float]:
    """What a process of its own tells of `count` items."""
    argv = [sys.executable, __file__, "--once", str(count)]
    told: dict[str, float] = json.loads(subprocess.run(argv, check=True, capture_output=True, text=True).stdout)
    print(f"{count:>6} items {told['took_s']:8.2f} s {told['peak_bytes'] / 1e6:8.0f} MB")
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000, help="items of the smaller map, up to 1,000")
    parser.add_argument("--once", type=int, default=None, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.once is not None:
        once(asked.once)
        return
    smaller, larger = measured(asked.count), measured(10 * asked.count)
    print(f"time, as a ratio {larger['took_s'] / smaller['took_s']:.2f}")


if __name__ == "__main__":
    main()
