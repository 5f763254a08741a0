"""The learned model: finds supersessions where no rule applies, and vetoes unsure rules."""
