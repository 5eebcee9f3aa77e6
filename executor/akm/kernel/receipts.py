"""What the answer of a receipt query means.

Asked in two places: after a lost or stopped attempt (is it there?), and before a step passes that owes a
receipt as evidence. Found is recorded and not repeated; only proven absence allows another attempt.
"""

from akm.kernel import attempts, outcome
from akm.kernel.draft import Draft
from akm.kernel.observation import ReceiptAnswered
from akm.kernel.state import Attempt, Result


def answered(draft: Draft, answer: ReceiptAnswered) -> None:
    """The query of an effect that waits for its receipt answered."""
    attempt = draft.state.attempts.get(answer.effect)
    if attempt is None:
        return
    effect = draft.state.effects[attempt.id]
    if effect.status == "observed" and effect.observed is not None and "result" in effect.observed:
        _evidence(draft, attempt, Result(**effect.observed["result"]), answer)
    elif attempt.status == "connection_lost":
        _after_loss(draft, attempt, answer)


def _evidence(draft: Draft, attempt: Attempt, found: Result, answer: ReceiptAnswered) -> None:
    """The tool says that it passed; without the receipt the step may not."""
    if answer.answer == "ambiguous":
        attempts.block(draft, attempt, "its receipt query gave no clear answer", query=answer.detail)
    elif answer.answer == "absent":
        missing = outcome.failed_after(found, "evidence_missing")
        attempts.finish(draft, attempt, missing, {"found": False})
    else:
        names = outcome.receipt_names(draft.process_step)
        proven = outcome.with_evidence(found, dict.fromkeys(names, answer.receipt))
        attempts.finish(draft, attempt, proven, answer.receipt)


def _after_loss(draft: Draft, attempt: Attempt, answer: ReceiptAnswered) -> None:
    if answer.answer == "ambiguous":
        attempts.block(draft, attempt, "its receipt query gave no clear answer", query=answer.detail)
    elif answer.answer == "absent":
        attempts.replace_lost(draft, attempt, {"found": False, "by": "receipt_query"})
    else:
        proven = outcome.from_receipt(draft.process_step, answer.receipt, answer.files)
        if proven is None:
            attempts.block(
                draft, attempt, "it happened, but the receipt found is not the output that the step declares"
            )
        else:
            attempts.finish(draft, attempt, proven, answer.receipt)
