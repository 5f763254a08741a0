"""Mistakes: wrong answers to rows with gold, row by row, as data for training.

`record` holds kinds of mistakes and full records, `training` their forms for trainers, `reading` both over two files,
one row at a time. Rows whose answers are sealed are refused. `evaluation.gym` builds on this package.
"""
