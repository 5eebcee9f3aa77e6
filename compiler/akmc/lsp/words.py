"""The names that nobody defines, since the language knows them."""

from collections.abc import Mapping
from typing import get_args

from akm_specs.plan import WITHOUT_OUTPUT
from akm_specs.plan.terms import (
    Distinction,
    EffectClass,
    EvidenceKind,
    Isolation,
    JoinStrategy,
    Reducer,
    RetryReason,
    Terminal,
)
from akmc.lsp.roles import Known

#: Where an outcome leads when it ends the run.
TERMINALS: tuple[str, ...] = get_args(Terminal)

#: The words of each kind. An agent may have outcomes of its own besides.
WORDS: Mapping[Known, tuple[str, ...]] = {
    "outcome": ("passed", *WITHOUT_OUTPUT),
    "effect": get_args(EffectClass),
    "reason": get_args(RetryReason),
    "evidence": get_args(EvidenceKind),
    "strategy": get_args(JoinStrategy),
    "distinction": get_args(Distinction),
    "reducer": get_args(Reducer),
    "isolation": get_args(Isolation),
    "expectation": ("pass", "fail"),
}
