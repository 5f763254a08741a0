"""Parts of the front page beside the boards: an example to answer, and cards made from stored figures."""
