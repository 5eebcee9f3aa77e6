"""What a tool's function may ask while it is called."""

from akm.dispatch.functions import CURRENT, CurrentAttempt


def current_attempt() -> CurrentAttempt:
    """The attempt that the running tool is called for, with its idempotency key.

    Raises LookupError outside of a tool's function.
    """
    return CURRENT.get()
