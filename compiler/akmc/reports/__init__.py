"""How findings are shown, one form a file: to people, to programs, and to the services that teams use."""

#: The forms of a report, as `--format` names them.
FORMS = ("text", "json", "sarif", "github", "junit")

#: Findings that a report shows unless another number is asked for. Nobody reads on after so many, and the services
#: that take reports refuse or cut much longer ones.
FINDINGS_MAX = 1_000
