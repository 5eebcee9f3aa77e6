"""`python -m akm.audit EXPORT.jsonl PLAN.json`: whether an exported history is legal.

Exit 0: it is. 7: it is not, each violation a line. 2: a file that cannot be read.
"""

import argparse
import sys
from pathlib import Path

from akm.audit.check import audit
from akm.audit.history import NotAnExport, read_export
from akm_specs.canonical import NotStrictJson, SealBroken, unseal

_LEGAL, _USAGE, _ILLEGAL = 0, 2, 7


def main() -> int:
    """Check the files that the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m akm.audit",
        description="Decide from a plan and an export alone whether a history is legal.",
        epilog="example: akm export r1 > r1.jsonl && python -m akm.audit r1.jsonl release.plan.json",
    )
    parser.add_argument("export", type=Path, help="what `akm export RUN` printed")
    parser.add_argument("plan", type=Path, help="the frozen plan of the run")
    arguments = parser.parse_args()
    try:
        plan, plan_hash = unseal(arguments.plan.read_bytes())
        entries = read_export(arguments.export.read_text(encoding="utf-8").splitlines())
    except (OSError, UnicodeDecodeError, NotAnExport, NotStrictJson, SealBroken) as error:
        sys.stderr.write(f"cannot be read: {error}\n")
        return _USAGE
    found = audit(plan, plan_hash, entries)
    for each in found:
        sys.stdout.write(f"event {each.sequence}: {each.name}: {each.message}\n")
    if not found:
        sys.stdout.write(f"run {entries[0].body['run']}: {len(entries)} events, a legal history\n")
    return _ILLEGAL if found else _LEGAL


if __name__ == "__main__":
    sys.exit(main())
