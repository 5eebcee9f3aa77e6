"""Paths that a source names: what every system makes of them."""

from pathlib import PureWindowsPath


def leaves_workspace(path: str) -> bool:
    """Whether `path` is absolute or goes upwards, as any system reads it."""
    return is_absolute(path) or ".." in PureWindowsPath(path).parts


def is_absolute(path: str) -> bool:
    """Whether `path` begins at a root or a drive, as any system reads it."""
    windows = PureWindowsPath(path)
    return bool(windows.drive or windows.root)
