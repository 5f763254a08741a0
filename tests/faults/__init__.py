"""A real site and what befalls it: processes that are killed, services that go away, files and sockets that do harm.

`tests/faults/test_faults.py` does each once; `make faults` does each many times, and writes its table into
docs/faults.md.
"""
