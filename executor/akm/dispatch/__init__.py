"""Dispatch: real processes, from the spawn to the last descendant's end, and what they wrote.

Begin at `processes.py`. `attempt.py` is one process's life; `household.py` knows whose an orphan is.
"""
