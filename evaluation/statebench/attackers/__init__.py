"""Programs that answer public timelines without understanding them: see `evaluation.core.sealing.attacks`."""
