"""Generated timelines in release format, including the fields that the release leaves empty."""
