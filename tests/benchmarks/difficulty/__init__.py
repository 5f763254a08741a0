"""What each difficulty costs a program that parses."""
