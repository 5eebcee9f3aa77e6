"""A tool whose own program is not beside the registry."""

from collections.abc import Iterator

from akmc.rules.rule import Finding, Rule
from akmc.view import View, agents_of


def check(view: View) -> Iterator[Finding]:
    """Programs of used tools that are paths, and were not found."""
    for at, step in enumerate(view.workflow.steps):
        for tool in view.tools_of(step):
            hashes = view.scripts.get(tool.name, {})
            for path in sorted(path for path in hashes if path in tool.argv[:1] and hashes[path] is None):
                yield Finding(
                    ("steps", at, "agent" if agents_of(step) else "tool"),
                    f"step `{step.name}`: tool `{tool.name}` runs `{path}`, which is not there to be pinned",
                    "put the script beside the registry, in the tool's directory",
                )


RULE = Rule(
    code="AKM5008",
    title="A tool's script is not there",
    explanation=(
        "A program named by a path such as `./publish.sh` is looked for in the tool's directory, from "
        "where the registry lies, and pinned by its content. One that is not there cannot be pinned: "
        "whatever stands there later would run."
    ),
    wrong="""\
workflow release "Publish" {
  step publish: exec publish { on passed -> completed }
}
""",
    right="""\
workflow release "Build" {
  step build: exec build { on passed -> completed }
}
""",
    check=check,
    registry='tool build { argv ["make"] }\ntool publish { argv ["./absent.sh"] }\n',
    severity="warning",
)
