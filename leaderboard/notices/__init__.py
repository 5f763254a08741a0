"""Notices about submissions and boards: by mail, by signed webhooks and in a weekly digest."""
