"""Judge free text by the statements that it affirms (rubric `strict@4`): text -> marks -> readings -> verdict."""
