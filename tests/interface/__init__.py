"""The words that people's scripts, shells and files use, one a line, as they were when these lists were made.

Code changes its words freely; these stay: API fields, commands and their options, addresses, environment variables,
the fields of files, and the names of what can be chosen. A line may be added and none may vanish.

    python -m tests.interface          write the lists anew; then read the difference before you commit it
"""
