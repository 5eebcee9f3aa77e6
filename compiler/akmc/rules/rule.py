"""What a rule is: a code, its explanation, two examples, and the check that holds it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from akm_specs.lifecycle import Lifecycle
from akmc.document import Place
from akmc.proof.answers import Proof
from akmc.registry import Registry
from akmc.view import View

if TYPE_CHECKING:
    from akmc.kxm import keys as kxm

Severity: TypeAlias = Literal["error", "warning"]

#: The registry beside which examples are compiled, unless a rule has its own.
EXAMPLE_REGISTRY = """\
tool build { argv ["make", "build"] }
tool check { argv ["make", "check"], effect read_only, timeout 10m }
tool upload { argv ["upload"], receipt ["uploaded"], effect receipt_queryable }
tool model { argv ["model"], effect read_only }

agent coder { tool model }
agent critic_a { tool model, provider "north" }
agent critic_b { tool model, provider "south" }

group leads [alice, bob]

repository site { remote "git@example.org:site.git" }
"""
#: Beside which examples in akm Markdown are compiled: somebody works and judges there without being named.
MARKDOWN_REGISTRY = EXAMPLE_REGISTRY + "defaults { agent coder, judge coder }\n"


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault at a place of the document. The pipeline adds the rule's code and finds the span.

    `message` says what is wrong with the author's own names, `help` what to do next.
    """

    place: Place
    message: str
    help: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One promise about sources. Its code is stable for ever and never used again for something else.

    A rule about a workflow has `check`, one about a registry alone `check_registry`, one about a lifecycle
    `check_lifecycle`, one about what is proved of a plan `check_proof`, one about a `kxm` workflow beside its
    registry `check_kxm`; one that parsing, lowering or the command line holds has none of them.
    What a rule finds that stands `alone` hides what others would say: they take its promise for granted.
    `wrong` is the smallest text that triggers exactly this code, `right` the same text mended. Both are
    compiled beside `registry`, if there is one, and beside a `child.akm` with the text `child`. They are the
    rule's documentation and its test.
    `language` is another one than "akm" where no source of ours shows the fault: one of another format does, or,
    in an example that is not compiled, a command or a document that some other front end makes.
    """

    code: str
    title: str
    explanation: str
    wrong: str
    right: str
    check: Callable[[View], Iterator[Finding]] | None = None
    check_registry: Callable[[Registry], Iterator[Finding]] | None = None
    check_lifecycle: Callable[[Lifecycle], Iterator[Finding]] | None = None
    check_proof: Callable[[Proof], Iterator[Finding]] | None = None
    check_kxm: Callable[["kxm.Workflow", Registry], Iterator[Finding]] | None = None
    registry: str | None = EXAMPLE_REGISTRY
    child: str | None = None
    alone: bool = False
    severity: Severity = "error"
    language: Literal["akm", "yaml", "markdown", "console", "json"] = "akm"
