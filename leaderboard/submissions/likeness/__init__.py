"""Files that hold the answers or the wrong answers of another account: found by a worker, told to readers."""
