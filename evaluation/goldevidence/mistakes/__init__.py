"""Mistakes: wrong answers to rows with gold, row by row, as data for training.

    record     the kinds of mistake of an answer, and a full record: lines shown, chosen and right, and the reason
    training   preference pairs, hard negatives, abstain labels, examples for a selector
    reading    both over two files, one row at a time, refusing rows whose answers are sealed

It reads this suite's rows, so it is part of the suite and not of the suite-free `evaluation.gym`, which builds on it.
"""
