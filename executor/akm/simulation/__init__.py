"""Runs in a world that is made up from a seed: the real kernel, and nothing that is started."""
