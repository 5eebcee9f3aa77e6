"""A property about a step that the workflow does not have."""

from collections.abc import Iterator

from akmc.properties import named_steps, places, written
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import instead_of


def check(view: View) -> Iterator[Finding]:
    """Names in `require` and `never` that are no step's."""
    for place, stated in places(view.workflow):
        for member, name in named_steps(stated):
            if name not in view.steps:
                yield Finding(
                    (*place, member),
                    f"`{written(stated)}` names `{name}`, which is no step",
                    instead_of(name, view.steps, "steps"),
                )


RULE = Rule(
    code="AKM2019",
    title="A property names no step",
    explanation=("`require` and `never` speak of steps of the same workflow."),
    wrong="""\
workflow release "Check, then upload" {
  step check: gate check { on passed -> upload }
  step upload: exec upload { on passed -> completed }
  require chek before upload
}
""",
    right="""\
workflow release "Check, then upload" {
  step check: gate check { on passed -> upload }
  step upload: exec upload { on passed -> completed }
  require check before upload
}
""",
    check=check,
)
