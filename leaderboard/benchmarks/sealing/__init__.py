"""Sealed versions: attackers at freeze, rounded figures, public twins, and publication on retirement."""
