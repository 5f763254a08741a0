"""The loop: mine mistakes at a level, export them, train on them, evaluate, and raise the level.

mining      tasks of a level with answers and scores
exports     mined tasks as training data, each file with a data card
evaluating  success before and after over the same unseen tasks, with intervals
running     all steps in rounds, which can be resumed
report      the results, as text
"""
