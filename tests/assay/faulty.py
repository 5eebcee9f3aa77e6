"""What a check of the checks reports."""


class Wrong(Exception):
    """The product did what it must never do; the message says what."""
