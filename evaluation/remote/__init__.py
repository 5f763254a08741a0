"""Talk to a site: its address and token, its API, downloads that can be resumed."""
