"""Client of a site: URL and token, API, resumable downloads."""
