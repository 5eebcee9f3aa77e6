"""The history checker: decides from the published tables, a plan and an export alone whether a history is legal.

It shares no code with the engine, whose second opinion it is: a fault of the one is not repeated by the other.
What it looks at stands in docs/reference/audit.md.
"""
