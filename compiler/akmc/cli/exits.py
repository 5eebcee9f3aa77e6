"""What `akmc` exits with (docs/reference/cli.md)."""

#: All is well; at least one error was found in a source; wrong usage, or a file that cannot be read or written.
FINE, FOUND, USAGE = 0, 1, 2
#: A fault of the compiler's own; it was interrupted.
INTERNAL, INTERRUPTED = 70, 130
