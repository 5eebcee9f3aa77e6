"""What can go wrong with a store, by name. Each message says what to do."""


class StoreFault(Exception):
    """Something of the outside world keeps the store from being used."""


class StoreUnusable(StoreFault):
    """The place cannot hold a store: missing, not writable, no WAL (a network file system), another format."""


class StoreBusy(StoreFault):
    """Another process held the database longer than we wait."""


class StoreFull(StoreFault):
    """The disk is full; nothing was written."""


class StoreDamaged(StoreFault):
    """The database file itself is damaged. Exit 7."""


class Damaged(StoreFault):
    """A run's stored plan or events are not what was written. `place` names the first bad one. Exit 7."""

    def __init__(self, run: str, place: str, why: str) -> None:
        super().__init__(f"run {run}, {place}: {why}")
        self.run = run
        self.place = place
        self.why = why


class UnknownRun(StoreFault):
    """No run of that id is in this store."""


class RunExists(StoreFault):
    """The id is taken by a run of another plan or other parameters."""


class RunEnded(StoreFault):
    """The run has ended; nothing can be sent to it any more."""


class InboxFull(StoreFault):
    """The run has more unread commands than it may; a cancel request is taken all the same."""


class CommandConflict(StoreFault):
    """The key was used for another content: the first one stands."""


class LeaseHeld(StoreFault):
    """Another process drives the run. Exit 6."""


class LeaseLost(StoreFault):
    """Our lease was taken over; what we were about to write was refused whole. Exit 6."""


class SequenceConflict(StoreFault):
    """The run is not where the writer believes it to be; the append was refused whole."""


class UnreadInbox(StoreFault):
    """The run may not end while commands sent to it are unread; take them first."""


class NotInOutbox(StoreFault):
    """The outbox has no such row, or none in that state."""


class UnknownRequest(StoreFault):
    """No request of that key is in this store."""
