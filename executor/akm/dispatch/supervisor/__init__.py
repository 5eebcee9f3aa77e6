"""The supervisor: a small process of its own that sees one tool through at a time, whoever started it lives or not.

Begin at `main.py`, then `life.py`. It is a program that outlives the engine, so everything that it will ever need
is imported when it starts, and that is little: no dataclasses here, and nothing from outside the standard library.
"""
