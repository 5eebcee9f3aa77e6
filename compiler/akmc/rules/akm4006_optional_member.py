"""A value position filled from a member that may be absent."""

from collections.abc import Iterator

from akmc.references import text, uses, walk
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """References through optional fields, where an absent value would do harm."""
    for use in uses(view.workflow):
        found = None if use.may_be_absent else walk(view, use)
        if found is not None and found.optional:
            part = found.optional[0]
            lacking = f"field `{part}` may be absent" if isinstance(part, str) else f"item [{part}] may be null"
            yield Finding(
                use.place,
                f"step `{use.step}` needs `{text(use.reference)}`, but {lacking}",
                "refer to what holds it, or make the field required",
            )


RULE = Rule(
    code="AKM4006",
    title="A field may be absent",
    explanation=(
        "A field marked `?` may be missing from a value, any field from a value of type `any`, and in the list "
        "that a panel puts out there is null for whoever did not pass. A tool's input, a decision and a route "
        "need the value, so they refer to what encloses it, or the type makes it required."
    ),
    wrong="""\
workflow release "Build and upload" {
  step build: exec build {
    output { wheel: file, notes?: string }
    on passed -> upload
  }
  step upload: exec upload {
    with { notes: build.output.notes }
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build and upload" {
  step build: exec build {
    output { wheel: file, notes?: string }
    on passed -> upload
  }
  step upload: exec upload {
    with { built: build.output }
    on passed -> completed
  }
}
""",
    check=check,
)
