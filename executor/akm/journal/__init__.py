"""The journal: one SQLite file in which every change of every run is an appended event."""
