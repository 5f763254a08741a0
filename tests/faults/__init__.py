"""Faults of a real site: killed processes, unreachable services, harmful files and sockets.

`tests/faults/test_faults.py` causes each once; `make faults` causes each many times, and writes its table into
docs/faults.md.
"""
