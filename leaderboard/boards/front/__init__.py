"""What the front page says beside the boards: an example to answer oneself, and cards made from stored figures."""
