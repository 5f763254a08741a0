"""Grades responses by program. A judge compares each response with the ground truth, then metrics are computed."""
