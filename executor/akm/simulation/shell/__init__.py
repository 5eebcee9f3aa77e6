"""The whole shell in one process and one thread: the real driver, gate, lease, recovery and dispatcher over a real
database, on a host that is made up from a seed."""
