"""Our own timelines, in release format, with every field filled that the release leaves empty."""
