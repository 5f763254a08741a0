"""Names that people's scripts, shells and files use, one per line.

The names in our code may change; these stay: API fields, commands and their options, addresses, environment variables,
the fields of files, and the names of what can be chosen. Lines may be added, and none may vanish.

    python -m tests.interface          update the lists; then read the difference before you commit it
"""
