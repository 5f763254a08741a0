"""Mistakes: wrong answers to rows with gold, row by row, as data for training.

`record` defines the kinds of mistakes and their full records, `training` converts records to training data, `reading`
yields the records of a rows file and its predictions, row by row. Rows with sealed answers are refused.
`evaluation.gym` builds on this package.
"""
