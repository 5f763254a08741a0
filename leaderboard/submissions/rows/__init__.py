"""Rows of a version for readers: found, filtered, drawn as a timeline, with the systems' answers."""
