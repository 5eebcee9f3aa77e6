"""Paths in the run's workspace: what may stand where a source names one."""

from pathlib import PurePosixPath, PureWindowsPath


def leaves_workspace(path: str) -> bool:
    """Whether `path` is absolute or goes upwards, as any system reads it."""
    posix, windows = PurePosixPath(path), PureWindowsPath(path)
    absolute = posix.is_absolute() or bool(windows.drive) or bool(windows.root)
    return absolute or ".." in posix.parts or ".." in windows.parts
