"""Which files hold the answers of another account, or its wrong answers: found by a worker, said to readers."""
