"""Tells people what became of their submissions and of boards: by mail, by signed webhooks, by a weekly digest."""
