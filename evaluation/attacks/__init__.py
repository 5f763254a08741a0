"""Programs that answer public files without understanding them, and climbing by uploads: clients of the suites."""
