"""akm as a library: what a host program calls, and what it gets back."""
