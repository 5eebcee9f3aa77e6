"""What one plan may do that another may not: every gain and every loss of authority between the two.

`table` says, a line a kind of change, what each difference means; `compare` applies it. A difference that no line
knows counts as a gain.
"""
