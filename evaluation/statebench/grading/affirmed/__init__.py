"""Rubric `strict@4`: judges free text by the statements that it affirms, rather than by the phrases it contains."""
