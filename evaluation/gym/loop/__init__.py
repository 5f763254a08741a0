"""The loop: mine mistakes at a level, export them, train on them, evaluate, and raise the level.

mining      tasks of a level with what was answered and what that is worth
exports     the same as training data, each file with a data card
evaluating  success before and after over the same unseen tasks, with intervals
running     all of it in rounds, which go on where they were stopped
report      what came of the rounds, as JSON and as text
"""
