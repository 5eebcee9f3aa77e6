"""Codes of what is wrong with a file of a `kxm` project, or is changed with a warning, beyond single rules."""

NEVER_PRODUCED = "AKM7110"
NEVER_TAKEN = "AKM7111"
LEFT_OUT = "AKM7112"
UNTIMED = "AKM7113"
NO_SCHEMA = "AKM7117"
GATE_KEYS = "AKM7118"
