"""akm: a durable executor that does exactly what a frozen plan says, to its end."""

from akm_specs import __version__ as __version__
