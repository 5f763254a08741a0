"""Sealed versions: attackers at the freeze, rounded metrics, public twins, and publication on retirement."""
