"""The learned model: supersessions where no rule applies."""
