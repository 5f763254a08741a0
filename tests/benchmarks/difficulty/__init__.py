"""The effect of each difficulty on programs that understand nothing."""
