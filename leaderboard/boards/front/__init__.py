"""Parts of the front page: an example to answer, charts, and cards made from stored figures."""
