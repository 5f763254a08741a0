"""The ladder: one episode in texts of several lengths. Facts, ids and questions are equal; padding grows."""
