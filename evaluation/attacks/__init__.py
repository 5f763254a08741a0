"""Programs that answer public files without understanding them, and climbing by uploads: clients of the suites.

`running` attacks a version before it is frozen, `leaks` looks for information in a public file beside its text,
`climbing` simulates uploads of guesses.
"""
