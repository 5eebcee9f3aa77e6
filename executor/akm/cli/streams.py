"""The standard streams as commands need them, whatever started us."""

import io
import os
import sys

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def prepare_streams() -> None:
    """Make each closed standard stream /dev/null, and standard output one that takes every text.

    So writing to a closed stream is no fault, no file of ours gets its number, and a text that is no Unicode
    (a byte of an argument, say) is shown by its code, which JSON takes as well.
    """
    for number, (name, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, os.fdopen(number, mode))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
