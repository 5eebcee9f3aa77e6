"""A committed plan that is not what its source compiles to."""

from akmc.rules.rule import Rule

RULE = Rule(
    code="AKM9002",
    title="The plan is not what the source compiles to",
    explanation=(
        "`akmc compile --check` compares the plan beside a source with what the source compiles to. It "
        "fails when the source, its registry or a script was changed and the plan was not made anew, when "
        "somebody edited the plan, and when there is none."
    ),
    wrong="""\
$ edit release.akm
$ akmc compile --check release.akm
""",
    right="""\
$ edit release.akm
$ akmc compile release.akm
$ akmc compile --check release.akm
""",
    language="console",
)
