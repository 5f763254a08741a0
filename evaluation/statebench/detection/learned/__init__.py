"""The learned model, which finds superseded facts where no rule applies and rejects uncertain matches of the rules."""
