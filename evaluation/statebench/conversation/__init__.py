"""What is said as facts: statements with the key and the value that they give."""
