"""Memory libraries behind StateBench's door: `make memories` installs them apart from the project and measures them.

Each driver is what its users would write: a class with `ingest` and `context`. They keep an event's words (`plain`) and
are asked by the query's words; what they find is put into the budget, best first, and shown in order of events.
"""
