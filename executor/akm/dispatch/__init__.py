"""Dispatch: real processes, from the spawn to the last descendant's end, and what they wrote.

Begin at `processes.py`. `crew.py` is a supervisor as its engine sees it, `supervisor/` its program, and `record.py`
what it writes down; `found.py` reads that, whenever and from wherever.
"""
