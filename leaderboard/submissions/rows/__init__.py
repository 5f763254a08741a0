"""The rows of a version for readers: found, listed under filters, drawn as a timeline, with what systems answered."""
