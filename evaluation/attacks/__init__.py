"""Programs that answer public files without understanding them, and what uploads teach: clients of the suites.

`running` attacks a version before it is frozen, `leaks` looks for what a public file tells beside its text, `climbing`
plays those who upload guesses. `goldevidence` and `statebench` have the attackers of their rows.
"""
