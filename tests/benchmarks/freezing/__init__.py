"""The cost that attackers add to a freeze: see `__main__`."""
