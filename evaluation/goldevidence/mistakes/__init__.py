"""Mistakes: what a system got wrong over rows with gold, row by row, as data that it can learn from.

    kinds      which kinds of mistake an answer makes, from what the grader measures
    record     a mistake told in full: what was shown, chosen and right, and why
    training   the same as preference pairs, hard negatives, abstain labels, examples of a selector
    matching   answers to rows, with every answer accounted for
    sealed     rows whose answers are not for learning
    reading    all of it over two files, one row at a time

It reads this suite's rows, so that it stands here and not in the suite-free `evaluation.gym`, which builds on it.
"""
