"""What the answer of a receipt query means.

Asked after a lost or stopped attempt (is it there?), and before a step passes that owes a receipt as
evidence. Found is recorded and not repeated; only proven absence allows another attempt.
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
        _after_end(draft, attempt, Result(**effect.observed["result"]), answer)
    elif attempt.status == "connection_lost":
        _after_loss(draft, attempt, answer)


def _after_end(draft: Draft, attempt: Attempt, found: Result, answer: ReceiptAnswered) -> None:
    """The tool passed and owes a receipt, or it was stopped at its timeout and may have acted before."""
    if answer.answer == "ambiguous":
        _unclear(draft, attempt, answer)
    elif answer.answer == "absent":
        owed = found.outcome == outcome.PASSED
        left = outcome.failed_after(found, "evidence_missing") if owed else found
        attempts.finish(draft, attempt, left, {"found": False})
    elif found.outcome == outcome.PASSED:
        names = outcome.receipt_names(draft.unit(attempt.assignment))
        proven = outcome.with_evidence(found, dict.fromkeys(names, answer.receipt))
        attempts.finish(draft, attempt, proven, answer.receipt)
    else:
        _happened(draft, attempt, answer)


def _after_loss(draft: Draft, attempt: Attempt, answer: ReceiptAnswered) -> None:
    if answer.answer == "ambiguous":
        _unclear(draft, attempt, answer)
    elif answer.answer == "absent":
        attempts.replace_lost(draft, attempt, {"found": False, "by": "receipt_query"})
    else:
        _happened(draft, attempt, answer)


def _unclear(draft: Draft, attempt: Attempt, answer: ReceiptAnswered) -> None:
    attempts.block(draft, attempt, "its receipt query gave no clear answer", query=answer.detail)


def _happened(draft: Draft, attempt: Attempt, answer: ReceiptAnswered) -> None:
    """The receipt is there although the process's own result is not."""
    proven = outcome.from_receipt(draft.unit(attempt.assignment), answer.receipt, answer.files)
    if proven is None or proven.outcome != outcome.PASSED:
        attempts.block(
            draft, attempt, "it happened, but the receipt found does not prove the output that the step declares"
        )
    else:
        attempts.finish(draft, attempt, proven, answer.receipt)
