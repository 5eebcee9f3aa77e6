"""A path that the declared type does not have."""

from collections.abc import Iterator

from akmc.references import text, uses, walk
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import instead_of


def check(view: View) -> Iterator[Finding]:
    """References that leave their type."""
    for use in uses(view.workflow):
        found = walk(view, use)
        if found is None or found.followed == len(use.reference.path):
            continue
        part = use.reference.path[found.followed]
        whole = text(use.reference, found.followed)
        shown = f"field `{part}`" if isinstance(part, str) else f"item [{part}]"
        fields: dict[str, object] = found.type.get("properties") or {}
        shorter = isinstance(part, int) and "maxItems" in found.type
        most = f"a list of this type has at most {found.type['maxItems']} items, from [0] on" if shorter else ""
        yield Finding(
            use.place,
            f"step `{use.step}`: the type of `{whole}` has no {shown}",
            most or instead_of(str(part), fields, "fields"),
        )


RULE = Rule(
    code="AKM4004",
    title="A type has no such part",
    explanation=(
        "Fields and indexes behind a reference are followed through the declared type when the workflow "
        "is compiled."
    ),
    wrong="""\
workflow release "Build and upload" {
  step build: exec build {
    output { wheel: file }
    on passed -> upload
  }
  step upload: exec upload {
    with { wheel: build.output.whl }
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build and upload" {
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
