"""Likeness: files with the answers or the wrong answers of another account, found by workers, shown to readers."""
