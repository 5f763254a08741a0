"""Programs that answer public rows without understanding them: see `evaluation.core.sealing.attacks`."""
