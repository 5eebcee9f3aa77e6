"""What compiler and executor agree on: lifecycle tables, JSON Schemas, plan types, canonical JSON."""

__version__ = "0.1.0"
