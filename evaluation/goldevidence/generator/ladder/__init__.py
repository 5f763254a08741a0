"""The ladder: one episode in texts of several lengths. Facts, ids and questions are the same; only padding grows."""
