"""The rows of a version as its readers have them: with their texts, whether these lie in the rows or in documents."""
