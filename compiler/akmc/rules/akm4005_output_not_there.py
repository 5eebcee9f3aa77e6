"""A reference to an output that some path does not produce."""

from collections.abc import Iterator

from akmc.outcomes import carries_output
from akmc.references import uses, walk
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """References to steps that some path to the use has not left, or not with their output."""
    if not view.flow.whole:
        return
    ran = view.flow.left_before(lambda edge: True)
    carried = view.flow.left_before(lambda edge: carries_output(edge.outcome))
    for use in uses(view.workflow):
        name = use.reference.name
        if use.reference.root != "output" or use.step not in ran:
            continue
        if name not in (ran if use.may_be_absent else carried)[use.step] and walk(view, use) is not None:
            why = "ended without an output" if name in ran[use.step] else "not run"
            yield Finding(
                use.place,
                f"step `{use.step}` refers to the output of `{name}`, which on some path has {why}",
                f"let every path to `{use.step}` go through `{name}`, by an outcome that carries its output",
            )


RULE = Rule(
    code="AKM4005",
    title="An output may not be there yet",
    explanation=(
        "On every path to the step, the one referred to must have run, and have ended by an outcome that "
        "carries its output: `passed`, or a word of its own. `failed`, `timed_out` and `expired` promise "
        "no output. An agent may `reads` what may be missing: it sees `null`. But the step it reads must "
        "have run on every path."
    ),
    wrong="""\
workflow release "Check, build, upload" {
  step check: gate check {
    on passed -> build
    on failed -> upload
  }
  step build: exec build {
    output { wheel: file }
    on passed -> upload
  }
  step upload: exec upload {
    with { wheel: build.output.wheel }
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Check, build, upload" {
  step check: gate check {
    on passed -> build
    on failed -> cancelled
  }
  step build: exec build {
    output { wheel: file }
    on passed -> upload
  }
  step upload: exec upload {
    with { wheel: build.output.wheel }
    on passed -> completed
  }
}
""",
    check=check,
)
